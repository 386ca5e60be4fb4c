import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

import { root, sourceFiles } from "./source-files.ts";

// Migrations are append-only and read by number, so their folder may grow.
const code = sourceFiles().filter((path) => !path.endsWith(".sql"));

it("has no folder with more than 25 source files", () => {
  const counts = new Map<string, number>();
  for (const path of code) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > 25)).toEqual([]);
});

it("has no source file with more than 400 lines", () => {
  const lines = (path: string) => readFileSync(join(root, path), "utf8").trimEnd().split("\n").length;
  expect(code.filter((path) => lines(path) > 400)).toEqual([]);
});
