import { expect, it } from "vitest";

import { coalesceLookups } from "./coalesce-lookups.ts";

/** Lookups that the test answers itself. */
function slowly() {
  const asked: { keys: string[]; answer: (found: Map<string, number>) => void; fail: (cause: Error) => void }[] = [];
  const find = coalesceLookups<number>(
    (keys) =>
      new Promise((answer, fail) => {
        asked.push({ keys, answer, fail });
      }),
  );
  return { asked, find };
}

it("looks up at once, then once for all who waited meanwhile, each key once", async () => {
  const { asked, find } = slowly();
  const first = find("a");
  expect(asked.map(({ keys }) => keys)).toEqual([["a"]]);
  const others = [find("b"), find("c"), find("b")];
  expect(asked).toHaveLength(1);
  asked[0]?.answer(new Map([["a", 1]]));
  expect(await first).toBe(1);
  expect(asked.map(({ keys }) => keys)).toEqual([["a"], ["b", "c"]]);
  asked[1]?.answer(new Map([["b", 2]]));
  expect(await Promise.all(others)).toEqual([2, undefined, 2]);
});

it("gives nobody an answer that was found before they asked", async () => {
  const { asked, find } = slowly();
  const before = find("a");
  const after = find("a");
  asked[0]?.answer(new Map([["a", 1]]));
  expect(await before).toBe(1);
  asked[1]?.answer(new Map());
  expect(await after).toBe(undefined);
});

it("fails the callers whose lookup failed, and goes on", async () => {
  const { asked, find } = slowly();
  const failing = find("a");
  asked[0]?.fail(new Error("away"));
  await expect(failing).rejects.toThrow("away");
  const next = find("a");
  asked[1]?.answer(new Map([["a", 3]]));
  expect(await next).toBe(3);
});
