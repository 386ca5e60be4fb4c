import { benchmarks } from "./benchmarks.ts";

// Measures one benchmark for another program and prints its measurements as JSON; without a name, the names of all.

const [name] = process.argv.slice(2);
const measure = name === undefined ? () => Object.keys(benchmarks) : benchmarks[name];
if (!measure) throw new Error(`There is no benchmark called ${name}.`);
const found = await measure();
process.stdout.write(JSON.stringify(found), () => process.exit(0));
