import { expect, it } from "vitest";

import { plainMarkdown } from "./plain-markdown.ts";

it.each([
  ["# Tides\n\nPredicts **the level** of _the sea_.", "Tides Predicts the level of the sea."],
  ["- one\n- two\n\n> quoted", "one two quoted"],
  ["See [the docs](https://example.org) and ![a picture](x.png).", "See the docs and a picture."],
  ["```python\nx = 2 * 3\n```", "x = 2 * 3"],
  ["Plain snake_case_names, 2 * 3, a-b and #1 stay.", "Plain snake_case_names, 2 * 3, a-b and #1 stay."],
  ["", ""],
])("shows %j as %j", (markdown, plain) => {
  expect(plainMarkdown(markdown)).toBe(plain);
});
