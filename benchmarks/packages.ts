import { asksFor } from "../server/testing/services/package-index.ts";
import { script } from "../server/testing/workbench.ts";
import { type Measurement, median } from "./measurement.ts";
import { openProduct } from "./product.ts";

const budgetSeconds = 5;
const rounds = 3;
const small = ["six", "humanize", "tabulate"];

/** From the click on Run until a run has ended whose node asks for one small package more than the run before. */
export async function packages(): Promise<Measurement[]> {
  const { bench, close } = await openProduct({ MIRANDA_ENGINE: "local" });
  try {
    const known = ["pandas", "scikit-learn"];
    const node = await bench.node(asksFor(...known) + script("print(1)"));
    await bench.start();
    // The first run downloads what a warm environment has, and uv itself.
    await bench.run();
    const seconds: number[] = [];
    for (let round = 0; round < rounds; round++) {
      known.push(small[round] ?? "");
      await bench.code(node, asksFor(...known) + script(`import ${small[round]}`, "print(1)"));
      const began = performance.now();
      await bench.run();
      seconds.push((performance.now() - began) / 1_000);
    }
    const took = median(seconds);
    return [
      {
        name: "Adding one small package to a warm environment",
        ours: `${took.toFixed(2)} s`,
        bare: "",
        ratio: "",
        budget: `${budgetSeconds} s`,
        passes: took <= budgetSeconds,
      },
    ];
  } finally {
    await close();
  }
}
