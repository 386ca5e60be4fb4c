import { benchmarks } from "./benchmarks.ts";
import { quick } from "./quick.ts";

const [names, options] = [process.argv.slice(2), new Set(["quick", "--save"])];
const unknown = names.find((name) => !options.has(name) && !Object.hasOwn(benchmarks, name));
if (unknown !== undefined) {
  const known = ["quick", ...Object.keys(benchmarks)].join(", ");
  process.stderr.write(`Unknown benchmark: ${unknown}. Choose from ${known}.\n`);
  process.exit(2);
}
if (names.includes("quick")) process.exit(await quick(names.includes("--save")));
let failed = 0;
for (const [name, measure] of Object.entries(benchmarks)) {
  if (names.length > 0 && !names.includes(name)) continue;
  for (const { name: title, ours, bare, ratio, budget, passes } of await measure()) {
    failed += passes ? 0 : 1;
    const comparison = bare && `; bare ${bare}; ratio ${ratio}`;
    process.stdout.write(`${passes ? "ok  " : "OVER"} ${title}: ${ours}${comparison} (budget ${budget})\n`);
  }
}
process.exit(failed > 0 ? 1 : 0);
