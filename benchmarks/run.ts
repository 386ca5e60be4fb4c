import { benchmarks } from "./benchmarks.ts";
import { quick } from "./quick.ts";

const names = process.argv.slice(2);
if (names[0] === "quick" && (names.length === 1 || (names.length === 2 && names[1] === "--save")))
  process.exit(await quick(names.length === 2));
const unknown = names.find((name) => !Object.hasOwn(benchmarks, name));
if (unknown !== undefined) {
  const known = Object.keys(benchmarks).join(", ");
  process.stderr.write(`Unknown: ${unknown}. Choose "quick", "quick --save", or some of ${known}.\n`);
  process.exit(2);
}
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
