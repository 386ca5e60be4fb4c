import { asksFor } from "../server/testing/services/package-index.ts";
import { script } from "../server/testing/workbench.ts";
import { type Measurement, median, size, sized } from "./measuring/measurement.ts";
import { openProduct } from "./measuring/product.ts";

const budgetSeconds = 5;
const rounds = sized(3);
const small = ["six", "humanize", "tabulate"];

/** The time of a run, from the click on Run, when the node requires one small package more than in the run before. */
export async function packages(): Promise<Measurement[]> {
  const { bench, close } = await openProduct({ MIRANDA_ENGINE: "local" });
  try {
    const required = size === "tiny" ? [] : ["pandas", "scikit-learn"];
    const node = await bench.node(asksFor(...required) + script("print(1)"));
    await bench.start();
    // The first run downloads uv and the packages that a warm environment already has.
    await bench.run();
    const seconds: number[] = [];
    for (let round = 0; round < rounds; round++) {
      required.push(small[round] ?? "");
      await bench.code(node, asksFor(...required) + script(`import ${small[round]}`, "print(1)"));
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
