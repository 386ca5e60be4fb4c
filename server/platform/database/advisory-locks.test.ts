import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";

import * as locks from "./advisory-locks.ts";

it("has a number of its own for every lock", () => {
  const numbers = Object.values(locks);
  expect(new Set(numbers).size).toBe(numbers.length);
});

it("has the numbers of all locks of the server", () => {
  const server = resolve(import.meta.dirname, "..", "..");
  const others = globSync("**/*-queries.ts", { cwd: server }).filter((file) =>
    /advisory\w*\(\s*\d|Lock = [\d_]+;/.test(readFileSync(resolve(server, file), "utf8")),
  );
  expect(others).toEqual([]);
});
