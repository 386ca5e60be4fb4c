import type { Measurement } from "./measurement.ts";
import { runPython } from "./python-bench.ts";

const budget = 1.05;

export async function loop(): Promise<Measurement[]> {
  const { ours, bare, stops, python } = await runPython<{ ours: number; bare: number; stops: number; python: string }>(
    "loop.py",
  );
  if (stops === 0) throw new Error("The breakpoint elsewhere was never hit, so nothing was measured.");
  const ratio = ours / bare;
  return [
    {
      name: `a loop in a node, a breakpoint elsewhere, Python ${python}`,
      ours: `${(ours * 1e3).toFixed(1)} ms`,
      bare: `${(bare * 1e3).toFixed(1)} ms (the same loop, plain)`,
      ratio: `${ratio.toFixed(3)} x`,
      budget: `<= ${budget} x`,
      passes: ratio <= budget,
    },
  ];
}
