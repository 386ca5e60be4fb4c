import { spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";

import { findBundle } from "../server/bundle/find-bundle.ts";
import { buildWebClient } from "../server/platform/web-client/build-web-client.ts";
import { readResults, RESULTS_VARIABLE, type Failure, type FileTime } from "./results/results.ts";

// The whole test command: checks, then tests, then the browser; every part runs even when an earlier one failed.

const root = resolve(import.meta.dirname, "..");
const results = join(root, "test-results");
/** Hundreds of processes load the same modules. Node compiles them once and keeps them here. */
const compiled = join(root, "node_modules", ".cache", "compiled");
let passed = 0;
const failures: Failure[] = [];
const parts: FileTime[] = [];
const files: FileTime[] = [];

interface Part {
  title: string;
  command: string;
  args: string[];
}

/** Runs a part. Its output is shown as it comes, or, beside other parts, when it has ended. */
async function run(
  { title, command, args }: Part,
  showAtEnd = false,
  env: Record<string, string> = {},
): Promise<boolean> {
  if (!showAtEnd) console.log(`\n— ${title}`);
  const start = performance.now();
  const child = spawn(join(root, "node_modules", ".bin", command), args, {
    cwd: root,
    env: { NODE_COMPILE_CACHE: compiled, ...process.env, ...env },
    stdio: showAtEnd ? ["ignore", "pipe", "pipe"] : "inherit",
  });
  const ended = new Promise<boolean>((done) => {
    child.on("error", () => done(false));
    child.on("close", (status) => done(status === 0));
  });
  const output = child.stdout && child.stderr ? await Promise.all([text(child.stdout), text(child.stderr)]) : [];
  const succeeded = await ended;
  const seconds = (performance.now() - start) / 1000;
  parts.push({ name: title, seconds });
  if (showAtEnd) console.log(`\n— ${title} (${seconds.toFixed(1)} s)\n${output.join("")}`.trimEnd());
  return succeeded;
}

/** Runs these one after the other. */
async function check(checks: readonly Part[]): Promise<void> {
  for (const one of checks) {
    if (await run(one, true)) passed++;
    else failures.push({ name: one.title, reason: "" });
  }
}

/** Runs tests and adds what their reporter left; a runner that failed without naming a failure is one of its own. */
async function runTests(name: string, part: Part): Promise<void> {
  const path = join(results, `${name}.json`);
  const succeeded = await run(part, false, { [RESULTS_VARIABLE]: path });
  const found = readResults(path);
  passed += found?.passed ?? 0;
  failures.push(...(found?.failures ?? []));
  files.push(...(found?.files ?? []));
  if (!found) failures.push({ name: part.title, reason: "It left no results." });
  else if (found.failures.length === 0 && (!succeeded || found.passed === 0))
    failures.push({ name: part.title, reason: "It failed without naming what." });
}

/** An error's words and our own lines of its stack. */
function shorten(reason: string): string {
  const lines = stripVTControlCharacters(reason).split("\n");
  return lines
    .filter((line) => !/^\s+at .*(node_modules|node:)/.test(line))
    .slice(0, 20)
    .join("\n");
}

rmSync(results, { recursive: true, force: true });
mkdirSync(results);

const types = (title: string, folder: string): Part => ({ title, command: "tsc", args: ["-p", folder] });
// Two rows of checks for two cores. The tools are downloaded meanwhile, which needs little of them.
await Promise.all([
  run({ title: "tools for the tests", command: "node", args: ["scripts/test-tools.ts"] }, true),
  check([
    types("types of contract, server and scripts", "."),
    { title: "lint and import boundaries", command: "oxlint", args: [] },
    { title: "format", command: "oxfmt", args: ["--check"] },
    { title: "lint and format of the Python code", command: "node", args: ["scripts/ruff.ts"] },
    { title: "types of the Python code", command: "pyright", args: ["-p", "runtime"] },
  ]),
  check([
    types("types of the web client", "web"),
    types("types of the journeys", "e2e"),
    types("types of the benchmarks", "benchmarks"),
    { title: "unused files, exports and dependencies", command: "knip", args: [] },
  ]),
]);

// Hundreds of tests start a server. Made now, they do not all make its bundle, or the client, at once.
await findBundle(root, console.log);
await buildWebClient(root, join(root, "dist", "web"), console.log);
const vitest = ["run", "--reporter=default", "--reporter=./scripts/results/vitest-reporter.ts"];
await runTests("vitest", { title: "tests through HTTP, sockets and PostgreSQL", command: "vitest", args: vitest });
// Fault tests guard rare faults and take long: `npm run test:faults` has them.
const journeys = ["test", "--reporter=list,./scripts/results/playwright-reporter.ts"];
await runTests("journeys", { title: "journeys in Chromium", command: "playwright", args: journeys });

const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, 25);
console.log("\nSeconds of each part, and of the slowest files:");
for (const { name, seconds } of [...parts, ...slowest]) console.log(`${seconds.toFixed(1).padStart(8)}  ${name}`);

// Print the failures again at the end, where people look for them: the first report is far above by now.
for (const { name, reason } of failures) console.log(`\n✗ ${name}\n${shorten(reason)}`);
console.log(`\n${passed} passed, ${failures.length} failed`);
process.exit(failures.length > 0 ? 1 : 0);
