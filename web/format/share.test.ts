import { expect, it } from "vitest";

import { formatShare } from "./share.ts";

it.each([
  [0, "0 %"],
  [0.004, "< 1 %"],
  [0.334, "33 %"],
  [1, "100 %"],
])("formats a share of %s as %s", (share, text) => {
  expect(formatShare(share)).toBe(text);
});
