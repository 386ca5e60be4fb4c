import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

import { root, sourceFiles } from "./source-files.ts";

// Three places once wrote the cost and the duration of one run in three ways (decision 0037).

const shown = sourceFiles().filter(
  (path) => /^(?:contract|server|web)\/.*\.tsx?$/.test(path) && !/\.(?:test|fault)\.tsx?$/.test(path),
);

/** Lines like "path: line" that a pattern finds, outside of these files. */
function found(pattern: RegExp, except: readonly string[]): string[] {
  return shown
    .filter((path) => !except.includes(path))
    .flatMap((path) =>
      readFileSync(join(root, path), "utf8")
        .split("\n")
        .filter((line) => pattern.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
}

it("writes amounts of money in one place", () => {
  const amounts = /\} credits?\b|\$\{(?:currency|sign)\}\$\{|\{(?:currency|sign)\}\s*\{|\bCredits\(.*\.toFixed\(/;
  expect(found(amounts, ["contract/words/money-text.ts"])).toEqual([]);
});

it("writes durations in one place", () => {
  const durations = /\} (?:µs|ms|s|min|h)(?=[`"'. ,;)]|$)/;
  const others = [
    "contract/words/duration-text.ts",
    // The axes of charts: as many digits as the step between two marks needs.
    "web/panels/metrics/chart-words.ts",
    "web/screens/runs/timeline/time-range.ts",
    // How long somebody may or has to wait: settings in whole seconds.
    "server/features/calls/call-ends.ts",
    "server/features/call-api/call-api-routes.ts",
    "server/features/call-api/hooks-service.ts",
    "server/features/mcp/mcp-routes.ts",
    "server/features/processors/jobs/engine-away.ts",
  ];
  expect(found(durations, others)).toEqual([]);
});
