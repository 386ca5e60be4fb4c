import { expect, it } from "vitest";

import { outcomeWords } from "./reproduction-words.ts";

const made = { run_id: "r", state: "done" as const, time_began: "2026-01-01T00:00:00Z", number: 3 };

it.each([
  [{ ...made, state: "running" as const, differs: null }, "It runs."],
  [{ ...made, number: null, differs: null }, "It made no version."],
  [{ ...made, state: "failed" as const, number: null, differs: null }, "It ended before it made a version."],
  [{ ...made, differs: [] }, "It made version 3, with the same metrics."],
  [{ ...made, differs: ["loss"] }, "It made version 3. Different: loss."],
  [{ ...made, differs: ["loss", "f1", "auc", "recall"] }, "It made version 3. Different: loss, f1, 2 more."],
])("says what came of a run again: %#", (one, words) => {
  expect(outcomeWords(one)).toBe(words);
});
