import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { createDebouncedCommit } from "./debounced-commit.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a debounced input", () => {
  it("S5-013 commits after 500 ms without typing", () => {
    const commit = vi.fn<(text: string) => void>();
    const input = createDebouncedCommit(500, commit);
    input.change("a");
    vi.advanceTimersByTime(400);
    input.change("ab");
    vi.advanceTimersByTime(499);
    expect(commit).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(commit).toHaveBeenCalledExactlyOnceWith("ab");
  });

  it("S5-014 commits at once on blur, and not again later", () => {
    const commit = vi.fn<(text: string) => void>();
    const input = createDebouncedCommit(500, commit);
    input.change("a");
    input.flush();
    input.flush();
    vi.advanceTimersByTime(1_000);
    expect(commit).toHaveBeenCalledExactlyOnceWith("a");
  });

  it("commits nothing after it was cancelled", () => {
    const commit = vi.fn<(text: string) => void>();
    const input = createDebouncedCommit(500, commit);
    input.change("a");
    input.cancel();
    vi.advanceTimersByTime(1_000);
    expect(commit).not.toHaveBeenCalled();
  });
});
