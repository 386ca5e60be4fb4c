import type { Draft } from "@miranda/contract/schemas/code.ts";
import { describe, expect, it, vi } from "vitest";

import { authorNames, createUnsavedCode, isOwn } from "./unsaved-code.ts";

const ada = { username: "ada", first_name: "Ada" };
const bea = { username: "bea", first_name: "Bea" };
const draft = (metadata_id: number, ...authors: Draft["authors"]): Draft => ({
  metadata_id,
  unsaved: true,
  by: authors[0]?.username ?? null,
  authors,
  time: "2026-01-01T00:00:00.000Z",
  outdated: false,
});

describe("unsaved code", () => {
  it("is a person's own only when nobody else has changed it", () => {
    expect(isOwn(draft(1, ada), "ada")).toBe(true);
    expect(isOwn(draft(1, bea), "ada")).toBe(false);
    expect(isOwn(draft(1, ada, bea), "ada")).toBe(false);
    expect(isOwn(draft(1), "ada")).toBe(false);
  });

  it("names its authors, the reader last", () => {
    expect(authorNames([bea], "ada")).toBe("Bea");
    expect(authorNames([ada], "ada")).toBe("you");
    expect(authorNames([ada, bea], "ada")).toBe("Bea and you");
    expect(authorNames([], "ada")).toBe("somebody");
  });

  it("is no longer included once it is committed", () => {
    const unsaved = createUnsavedCode();
    unsaved.load([draft(1, bea), draft(2, bea)]);
    unsaved.include([1, 2], true);
    unsaved.put({ ...draft(1), unsaved: false });
    expect([...unsaved.included()]).toEqual([2]);
    expect(unsaved.of(1)).toBeUndefined();
    unsaved.include([2], false);
    expect([...unsaved.included()]).toEqual([]);
  });

  it("keeps what did not change, so that only what shows it draws again", () => {
    const unsaved = createUnsavedCode();
    unsaved.load([draft(1, bea)]);
    const before = unsaved.of(1);
    const watcher = vi.fn<() => void>();
    unsaved.watch(watcher);
    unsaved.put(draft(2, ada));
    expect(unsaved.of(1)).toBe(before);
    unsaved.put({ ...draft(3), unsaved: false });
    expect(watcher).toHaveBeenCalledTimes(1);
  });

  it("has been sent when every editor has sent its code", async () => {
    const unsaved = createUnsavedCode();
    unsaved.offer(async () => true);
    await unsaved.sent();
    const stop = unsaved.offer(async () => false);
    await expect(unsaved.sent()).rejects.toThrow("Your newest changes have not reached the server yet.");
    stop();
    await unsaved.sent();
  });
});
