import { spawnSync } from "node:child_process";

import { calls } from "./calls.ts";
import { chain } from "./chain.ts";
import { full } from "./full.ts";
import { largeGraph } from "./graphs/large-graph.ts";
import { largeOpen } from "./graphs/large-open.ts";
import { lines } from "./lines.ts";
import { loop } from "./loop.ts";
import { mlflow } from "./tracking/mlflow.ts";
import type { Measurement } from "./measurement.ts";
import { packages } from "./packages.ts";
import { parallel } from "./parallel.ts";
import { reads } from "./reads.ts";
import { start } from "./start.ts";
import { versions } from "./graphs/versions.ts";
import { versionScreens } from "./graphs/version-screens.ts";

const benchmarks: Record<string, () => Promise<Measurement[]>> = {
  start,
  calls,
  reads,
  "large-graph": largeGraph,
  "large-open": largeOpen,
  full,
  chain,
  loop,
  parallel,
  lines,
  packages,
  mlflow,
  versions,
  "version-screens": versionScreens,
};
// These run as separate programs and print their results themselves.
const programs = ["full-screens", "socket", "processors", "editor", "ide", "jupyter", "logs"];
const known = [...Object.keys(benchmarks), ...programs];
const chosen = process.argv.slice(2);
const names = chosen.length > 0 ? chosen : known;
let failed = 0;
for (const name of names) {
  if (programs.includes(name)) {
    const { status } = spawnSync(process.execPath, [`${import.meta.dirname}/${name}.ts`], { stdio: "inherit" });
    failed += status === 0 ? 0 : 1;
    continue;
  }
  const measure = benchmarks[name];
  if (!measure) {
    process.stderr.write(`Unknown benchmark: ${name}. Choose from ${known.join(", ")}.\n`);
    process.exit(2);
  }
  for (const result of await measure()) {
    failed += result.passes ? 0 : 1;
    const { name: title, ours, bare, ratio, budget, passes } = result;
    const comparison = bare && `; bare ${bare}; ratio ${ratio}`;
    process.stdout.write(`${passes ? "ok  " : "OVER"} ${title}: ${ours}${comparison} (budget ${budget})\n`);
  }
}
process.exit(failed > 0 ? 1 : 0);
