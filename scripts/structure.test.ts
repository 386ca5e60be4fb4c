import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";

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

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({ engines: z.object({ node: z.string().optional() }).optional().catch(undefined) }),
  ),
});

it("installs on Node 20 without a package that wants a later one", () => {
  const lock: unknown = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const { packages } = Lock.parse(lock);
  const accepts20 = (range: string) =>
    range.split("||").some((part) => {
      const [, sign = "", major = "0"] = /^\s*(>=|>|\^|~)?\s*v?(\d+)/.exec(part) ?? [];
      return sign.startsWith(">") ? Number(major) <= 20 : part.trim() === "*" || Number(major) === 20;
    });
  const later = Object.entries(packages).filter(([, { engines }]) => engines?.node && !accepts20(engines.node));
  expect(later.map(([name]) => name)).toEqual([]);
});
