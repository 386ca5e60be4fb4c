import { expect, it } from "vitest";

import type { NodeOutput, NodeRun } from "@miranda/contract/schemas/processors.ts";

import { createRunStore } from "./run-store.ts";

const run = (wob_key: number, seconds: number, at = 1, status = "done"): NodeRun => ({
  wob_key,
  seconds,
  run: at,
  status,
  fires: 1,
});
const output = (wob_key: number, number: number): NodeOutput => ({
  job_id: "job",
  wob_key,
  run: 1,
  number,
  id: null,
  data: {},
  metadata: {},
});

function open() {
  const store = createRunStore();
  store.begin("job");
  return store;
}

it("computes a node's share within the run it was part of", () => {
  const store = open();
  store.add("job", [run(1, 3), run(2, 1)]);
  expect(store.runOf(1)?.share).toBe(0.75);
  store.add("job", [run(2, 5, 2)]);
  expect(store.runOf(2)?.share).toBe(1);
  expect(store.runOf(1)).toMatchObject({ isEarlier: true, share: undefined });
});

it("has no share while it runs, and returns the same object when nothing changed", () => {
  const store = open();
  store.add("job", [run(1, 0, 1, "running"), run(2, 1)]);
  expect(store.runOf(1)?.share).toBeUndefined();
  expect(store.runOf(2)?.share).toBeUndefined();
  expect(store.runOf(1)).toBe(store.runOf(1));
});

it("ignores late events about another session or an earlier run", () => {
  const store = open();
  store.add("job", [run(1, 2, 3)]);
  store.add("job", [run(1, 9, 2)]);
  store.add("other", [run(1, 9, 9)]);
  expect(store.runOf(1)?.seconds).toBe(2);
  store.show({ ...output(1, 1), job_id: "other" });
  expect(store.outputOf(1)).toBeUndefined();
});

it("keeps newer events when an older list is fetched, and drops them with the session", () => {
  const store = open();
  const asked = store.ask("job");
  store.show(output(1, 2));
  asked.answer([run(1, 1)], [output(1, 1), output(2, 1)]);
  expect(store.outputOf(1)?.number).toBe(2);
  expect(store.outputOf(2)?.number).toBe(1);
  store.begin("next");
  expect([store.runOf(1), store.outputOf(1)]).toEqual([undefined, undefined]);
});

it("replaces what it knew before a reconnect by what is fetched after it", () => {
  const store = open();
  store.add("job", [run(1, 0, 1, "running"), run(2, 0, 1, "waiting")]);
  const asked = store.ask("job");
  store.add("job", [run(2, 4, 2)]);
  asked.answer([run(1, 0, 1, "stopped"), run(2, 0, 1, "idle")], []);
  expect(store.runOf(1)?.status).toBe("stopped");
  expect(store.runOf(2)).toMatchObject({ status: "done", run: 2 });
});

it("keeps the last output by its number, and knows when it is from the run before", () => {
  const store = createRunStore();
  store.begin("job");
  store.show(output(1, 1));
  store.show(output(1, 2));
  store.show({ ...output(1, 1), id: "loss", data: { "text/plain": "again" } });
  expect(store.outputOf(1)?.number).toBe(2);
  store.add("job", [run(1, 0, 1, "done")]);
  expect(store.isOldOutput(1)).toBe(false);
  store.add("job", [run(1, 0, 2, "running")]);
  expect(store.isOldOutput(1)).toBe(true);
  store.show({ ...output(1, 1), run: 2 });
  expect([store.outputOf(1)?.run, store.isOldOutput(1)]).toEqual([2, false]);
});

it("has a node's bars until the node ends, by any event", () => {
  const store = createRunStore();
  store.begin("job");
  const bars = [{ label: "epochs", done: 1, total: 2 }];
  store.add("job", [run(1, 0, 1, "running"), run(2, 0, 1, "running")]);
  store.setBars({ job_id: "another", nodes: [{ wob_key: 1, bars }] });
  expect(store.barsOf(1)).toBeUndefined();
  store.setBars({
    job_id: "job",
    nodes: [1, 2].map((wob_key) => ({ wob_key, bars })),
  });
  expect(store.barsOf(1)).toBe(bars);
  store.setBars({ job_id: "job", nodes: [{ wob_key: 1, bars: [] }] });
  store.add("job", [run(2, 0, 1, "stopped")]);
  store.setBars({ job_id: "job", nodes: [{ wob_key: 2, bars }] });
  expect([store.barsOf(1), store.barsOf(2)]).toEqual([undefined, undefined]);
});
