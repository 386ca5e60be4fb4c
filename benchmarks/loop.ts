import type { Measurement } from "./measuring/measurement.ts";
import { runPython } from "./measuring/python-bench.ts";

const budget = 1.05;

export async function loop(): Promise<Measurement[]> {
  const { ours, bare, stops, python } = await runPython<{ ours: number; bare: number; stops: number; python: string }>(
    "loop.py",
  );
  if (stops === 0) throw new Error("The other node's breakpoint was never hit, so the measurement proves nothing.");
  const ratio = ours / bare;
  return [
    {
      name: `a loop in a node while another node has a breakpoint, Python ${python}`,
      ours: `${(ours * 1e3).toFixed(1)} ms`,
      bare: `${(bare * 1e3).toFixed(1)} ms (the same loop in plain Python)`,
      ratio: `${ratio.toFixed(3)} x`,
      budget: `<= ${budget} x`,
      passes: ratio <= budget,
      times: ratio,
    },
  ];
}
