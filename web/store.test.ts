import { expect, it } from "vitest";

import { createStore } from "./store.ts";

it("calls every watcher after a set, until the watcher stops", () => {
  const store = createStore(1);
  const seen: number[] = [];
  const stop = store.watch(() => seen.push(store.get()));
  store.watch(() => seen.push(store.get() * 10));
  store.set(2);
  stop();
  store.set(3);
  expect(seen).toEqual([2, 20, 30]);
});

it("knows whether anybody watches", () => {
  const store = createStore("a");
  expect(store.isWatched()).toBe(false);
  const stop = store.watch(() => undefined);
  expect(store.isWatched()).toBe(true);
  stop();
  expect(store.isWatched()).toBe(false);
});
