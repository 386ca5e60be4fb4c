import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { expect, it } from "vitest";

import { settingNames } from "./config.ts";

it("documents every setting in docs/operations.md", async () => {
  const text = await readFile(resolve(import.meta.dirname, "../../../docs/operations.md"), "utf8");
  const tables = text.split("\n").filter((line) => line.startsWith("| `"));
  const missing = settingNames.filter((name) => !tables.some((line) => line.split(" | ")[0]?.includes(`\`${name}\``)));
  // MIRANDA_DEV is for developers, not a setting of an installation.
  expect(missing).toEqual(["MIRANDA_DEV"]);
  expect(text).not.toMatch(/^[<=>]{7}/m);
});
