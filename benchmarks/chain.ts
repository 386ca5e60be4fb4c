import type { Measurement } from "./measuring/measurement.ts";
import { runPython } from "./measuring/python-bench.ts";

const budget = 7;
/** What keeping results may add. */
const keptBudget = 1.05;

export async function chain(): Promise<Measurement[]> {
  const { ours, plain, kept, bare } = await runPython<{ ours: number; plain: number; kept: number; bare: number }>(
    "chain.py",
  );
  return [
    {
      name: "a chain of 1,000 trivial nodes",
      ours: `${(ours * 1e6).toFixed(2)} µs per node`,
      bare: `${(bare * 1e6).toFixed(2)} µs (a loop that keeps outputs and times)`,
      ratio: `${(ours / bare).toFixed(1)} x`,
      budget: `<= ${budget} µs per node`,
      passes: ours * 1e6 <= budget,
      times: ours / bare,
    },
    {
      name: "the same chain while its results are kept",
      ours: `${(kept * 1e6).toFixed(2)} µs per node`,
      bare: `${(plain * 1e6).toFixed(2)} µs (without keeping, in turn)`,
      ratio: `${(kept / plain).toFixed(2)} x`,
      budget: `<= ${keptBudget} x`,
      passes: kept / plain <= keptBudget,
      times: kept / plain,
    },
  ];
}
