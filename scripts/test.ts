import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";

import { messageOf } from "../server/platform/errors/error-details.ts";
import { getChromium } from "./chromium.ts";
import { getDocker } from "./docker.ts";
import { getGit } from "./git.ts";
import { getMlflow } from "./mlflow.ts";
import { getLibraryEnvironment } from "./library-environment.ts";
import { getRedis } from "./redis.ts";
import { readResults, RESULTS_VARIABLE, type Failure, type FileTime } from "./results/results.ts";
import { getSandbox } from "./sandbox.ts";
import { getSwift } from "./swift.ts";

// The whole test command: checks, then tests, then the browser; every part runs even when an earlier one failed.

const root = resolve(import.meta.dirname, "..");
const results = join(root, "test-results");
let passed = 0;
const failures: Failure[] = [];
const parts: FileTime[] = [];
const files: FileTime[] = [];

function run(title: string, command: string, args: string[], env: Record<string, string> = {}): boolean {
  console.log(`\n— ${title}`);
  const start = performance.now();
  const { status } = spawnSync(join(root, "node_modules", ".bin", command), args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: "inherit",
  });
  parts.push({ name: title, seconds: (performance.now() - start) / 1000 });
  return status === 0;
}

function check(title: string, command: string, args: string[]): void {
  if (run(title, command, args)) passed++;
  else failures.push({ name: title, reason: "" });
}

/** Runs tests and adds what their reporter left; a runner that failed without naming a failure is one of its own. */
function runTests(title: string, name: string, command: string, args: string[]): void {
  const path = join(results, `${name}.json`);
  const succeeded = run(title, command, args, { [RESULTS_VARIABLE]: path });
  const found = readResults(path);
  passed += found?.passed ?? 0;
  failures.push(...(found?.failures ?? []));
  files.push(...(found?.files ?? []));
  if (!found) failures.push({ name: title, reason: "It left no results." });
  else if (found.failures.length === 0 && (!succeeded || found.passed === 0))
    failures.push({ name: title, reason: "It failed without naming what." });
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
try {
  getChromium();
} catch (error) {
  console.error(messageOf(error));
}

getDocker();
getSandbox();
getGit();
getRedis();
getSwift();
await getMlflow();
await getLibraryEnvironment();

check("types of contract, server and scripts", "tsc", ["-p", "."]);
check("types of the web client", "tsc", ["-p", "web"]);
check("types of the journeys", "tsc", ["-p", "e2e"]);
check("types of the benchmarks", "tsc", ["-p", "benchmarks"]);
check("lint and import boundaries", "oxlint", []);
check("format", "oxfmt", ["--check"]);
check("unused files, exports and dependencies", "knip", []);
check("lint and format of the Python code", "node", ["scripts/ruff.ts"]);
check("types of the Python code", "pyright", ["-p", "runtime"]);

const vitest = ["run", "--reporter=default", "--reporter=./scripts/results/vitest-reporter.ts"];
runTests("tests through HTTP, sockets and PostgreSQL", "vitest", "vitest", vitest);
// The long ones wait for minutes or launch hundreds of times: `npm run test:faults` has them all.
const faults = ["--config", "vitest.faults.config.ts", "--exclude", "server/faults/*.long.fault.ts"];
runTests("servers killed, stopped and cut off", "faults", "vitest", [...vitest, ...faults]);
const journeys = ["test", "--reporter=list,./scripts/results/playwright-reporter.ts"];
runTests("journeys in Chromium", "journeys", "playwright", journeys);

const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, 25);
console.log("\nSeconds of each part, and of the slowest files:");
for (const { name, seconds } of [...parts, ...slowest]) console.log(`${seconds.toFixed(1).padStart(8)}  ${name}`);

// Print the failures again at the end, where people look for them: the first report is far above by now.
for (const { name, reason } of failures) console.log(`\n✗ ${name}\n${shorten(reason)}`);
console.log(`\n${passed} passed, ${failures.length} failed`);
process.exit(failures.length > 0 ? 1 : 0);
