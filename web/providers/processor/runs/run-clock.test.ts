import { expect, it } from "vitest";

import { createProcessorStore } from "../processor-store.ts";
import { createRunClock } from "./run-clock.ts";
import { jobIn } from "../testing.ts";

it("counts a run from its beginning to its end, through a pause", () => {
  let now = 1_000;
  const store = createProcessorStore();
  const clock = createRunClock(() => now);
  const stop = clock.follow(store);
  store.observe(jobIn("READY"));
  expect(clock.get()).toBeUndefined();
  store.observe(jobIn("RUNNING", { revision: 1 }));
  now = 3_000;
  store.observe(jobIn("RESUMEREADY", { revision: 2 }));
  expect(clock.get()).toEqual({ began: 1_000, ended: undefined });
  now = 6_000;
  store.observe(jobIn("RUNNING", { revision: 3 }));
  now = 7_000;
  store.observe(jobIn("READY", { revision: 4 }));
  expect(clock.get()).toEqual({ began: 1_000, ended: 7_000 });
  store.observe(jobIn("READY", { id: "job-2", time_created: "2026-01-02T00:00:00.000Z" }));
  expect(clock.get()).toBeUndefined();
  stop();
});

it("knows when a run began that was already running when the graph was opened", () => {
  const began = Date.parse("2026-01-01T00:00:05.000Z");
  const store = createProcessorStore();
  const clock = createRunClock(() => began + 60_000);
  clock.follow(store);
  store.observe(jobIn("RUNNING", { state_since: new Date(began).toISOString() }));
  expect(clock.get()).toEqual({ began, ended: undefined });
});

it("keeps the time of the last run when the next one is refused", () => {
  let now = 1_000;
  const store = createProcessorStore();
  const clock = createRunClock(() => now);
  clock.follow(store);
  store.observe(jobIn("READY"));
  store.observe(jobIn("RUNNING", { revision: 1 }));
  now = 2_000;
  store.observe(jobIn("READY", { revision: 2 }));
  now = 5_000;
  const anticipated = store.anticipate("RUNNING");
  expect(clock.get()).toEqual({ began: 5_000, ended: undefined });
  anticipated.takeBack();
  expect(clock.get()).toEqual({ began: 1_000, ended: 2_000 });
});
