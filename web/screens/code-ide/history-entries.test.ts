import type { CommitSummary } from "@miranda/contract/schemas/code.ts";
import { expect, it } from "vitest";

import { historyEntries } from "./history-entries.ts";

const commits = (...messages: string[]): CommitSummary[] =>
  messages.map((message, at) => ({
    id: String(at),
    metadata_id: 1,
    number: messages.length - at,
    author: null,
    with: [],
    message,
    time_created: "2026-01-01T00:00:00.000Z",
    restored: null,
  }));

it("merges consecutive commits of runs into one line and keeps all others", () => {
  const entries = historyEntries(commits("Run", "Run", "Fit a line", "Run", "Fix", "Fix", "Run", "Run", "Run"));
  expect(entries.map((entry) => entry.map(({ message }) => message).join())).toEqual([
    "Run,Run",
    "Fit a line",
    "Run",
    "Fix",
    "Fix",
    "Run,Run,Run",
  ]);
});

it("does not merge a restored commit with the same message", () => {
  const [first, second] = commits("Run", "Run");
  if (!first || !second) throw new Error("Two were made.");
  expect(historyEntries([{ ...first, restored: 1 }, second])).toHaveLength(2);
});
