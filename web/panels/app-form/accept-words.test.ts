import { expect, it } from "vitest";

import { acceptWords } from "./accept-words.ts";

it.each([
  ["", ""],
  ["*/*", ""],
  [".csv,image/*", "CSV or pictures"],
  ["text/csv, .csv, application/json", "CSV or JSON"],
  [".png, .jpg, .webp", "PNG, JPG or WEBP"],
])("says %s as %s", (accept, words) => {
  expect(acceptWords(accept)).toBe(words);
});
