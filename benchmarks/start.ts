import { execFileSync } from "node:child_process";

import { findPython } from "../server/platform/python.ts";
import { type Measurement, median } from "./measurement.ts";
import { openProduct } from "./product.ts";

const rounds = 15;
const budget = 8;

/** From the click on Start until the client knows that the processor is READY. */
export async function start(): Promise<Measurement[]> {
  const python = await findPython();
  if (!python) throw new Error("no Python");
  const product = await openProduct();
  const { bench } = product;
  const bare: number[] = [];
  const ours: number[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      const before = performance.now();
      execFileSync(python.executable, ["-c", "pass"]);
      bare.push(performance.now() - before);
      const clicked = performance.now();
      await bench.start();
      ours.push(performance.now() - clicked);
      await bench.until("stop", "", "EXITED");
    }
  } finally {
    await product.close();
  }
  const ratio = median(ours) / median(bare);
  return [
    {
      name: "start to READY, local engine",
      ours: `${median(ours).toFixed(0)} ms`,
      bare: `${median(bare).toFixed(1)} ms (python -c pass)`,
      ratio: `${ratio.toFixed(1)} x`,
      budget: `<= ${budget} x`,
      passes: ratio <= budget,
    },
  ];
}
