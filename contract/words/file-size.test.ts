import { expect, test } from "vitest";

import { fileSize } from "./file-size.ts";

test("sizes have a unit", () => {
  expect([0, 999, 1_000, 999_600, 1_234_567, 100_000_000, 5e9].map(fileSize)).toEqual([
    "0 B",
    "999 B",
    "1 kB",
    "1 MB",
    "1.2 MB",
    "100 MB",
    "5 GB",
  ]);
});
