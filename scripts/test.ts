import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

import { getChromium } from "./chromium.ts";
import { getDocker } from "./docker.ts";
import { getGit } from "./git.ts";
import { getRedis } from "./redis.ts";
import { getSwift } from "./swift.ts";

// The whole test command: checks, then tests, then the browser; every part runs even when an earlier one failed.

const root = resolve(import.meta.dirname, "..");
const results = join(root, "test-results");
let passed = 0;
let failed = 0;

function run(title: string, command: string, args: string[]): boolean {
  console.log(`\n— ${title}`);
  const { status } = spawnSync(join(root, "node_modules", ".bin", command), args, { cwd: root, stdio: "inherit" });
  return status === 0;
}

function check(title: string, command: string, args: string[]): void {
  if (run(title, command, args)) passed++;
  else failed++;
}

/** Adds a reporter's counts; a runner that failed without counting anything is one failure of its own. */
function count(title: string, succeeded: boolean, read: () => { passed: number; failed: number }): void {
  let counted = { passed: 0, failed: 0 };
  try {
    counted = read();
  } catch {
    console.error(`${title}: no result was written.`);
  }
  passed += counted.passed;
  failed += counted.failed || (succeeded && counted.passed > 0 ? 0 : 1);
}

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(join(results, name), "utf8")) as T;
}

rmSync(results, { recursive: true, force: true });
mkdirSync(results);
try {
  getChromium();
} catch (error) {
  console.error((error as Error).message);
}

getDocker();
getGit();
getRedis();
getSwift();

check("types of contract, server and scripts", "tsc", ["-p", "."]);
check("types of the web client", "tsc", ["-p", "web"]);
check("types of the journeys", "tsc", ["-p", "e2e"]);
check("types of the benchmarks", "tsc", ["-p", "benchmarks"]);
check("lint and import boundaries", "oxlint", []);
check("format", "oxfmt", ["--check"]);
check("unused files, exports and dependencies", "knip", []);

function vitest(title: string, name: string, args: string[]): void {
  const output = ["--reporter=default", "--reporter=json", `--outputFile.json=${join(results, name)}`];
  const succeeded = run(title, "vitest", ["run", ...args, ...output]);
  count(title, succeeded, () => {
    const report = readJson<{ numPassedTests: number; numFailedTests: number }>(name);
    return { passed: report.numPassedTests, failed: report.numFailedTests };
  });
}

vitest("tests through HTTP, sockets and PostgreSQL", "vitest.json", []);
// The long ones wait for minutes or launch hundreds of times: `npm run test:faults` has them all.
const faults = ["--config", "vitest.faults.config.ts", "--exclude", "server/faults/*.long.fault.ts"];
vitest("servers killed, stopped and cut off", "faults.json", faults);

process.env["PLAYWRIGHT_JSON_OUTPUT_NAME"] = join(results, "playwright.json");
const browser = run("journeys in Chromium", "playwright", ["test", "--reporter=list,json"]);
count("playwright", browser, () => {
  const { stats } = readJson<{ stats: { expected: number; unexpected: number; flaky: number } }>("playwright.json");
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky };
});

console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
