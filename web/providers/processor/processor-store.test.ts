import { describe, expect, it } from "vitest";

import { triggeredBreakpoint } from "../debugger/breakpoint-list.ts";

import { createProcessorStore } from "./processor-store.ts";
import { readOnlyActions } from "./read-only-actions.ts";
import { jobIn } from "./testing.ts";

const hit = { job_id: "job-1", wob_key: 3, line_number: 8, locals: { x: 1 } };
const raised = { job_id: "job-1", wob_key: 3, line_number: 8, funcname: "run", traceback: "boom" };

describe("what a processor's update ends", () => {
  it("S3-032 a breakpoint is held by node and line, with its locals while it is hit", () => {
    const store = createProcessorStore();
    store.observe(jobIn("RUNNING"));
    store.hit(hit);
    expect(store.get().debugging.breakpoints).toEqual({
      3: { 8: { line: 8, wobId: 3, triggered: true, locals: { x: 1 } } },
    });
  });

  it("S4-073 S4-074 EXITED and READY clear the breakpoint that was hit", () => {
    for (const state of ["EXITED", "READY"] as const) {
      const store = createProcessorStore();
      store.observe(jobIn("RESUMEREADY"));
      store.setBreakpoint(3, 8);
      store.hit(hit);
      store.observe(jobIn(state));
      expect(triggeredBreakpoint(store.get().debugging.breakpoints)).toBeUndefined();
      expect(store.get().debugging.breakpoints[3]?.[8]).toBeDefined();
    }
  });

  it("S4-075 S4-076 EXITED and RUNNING clear the exception, ERROR does not", () => {
    for (const [state, isCleared] of [
      ["EXITED", true],
      ["RUNNING", true],
      ["ERROR", false],
    ] as const) {
      const store = createProcessorStore();
      store.observe(jobIn("READY"));
      store.raise(raised);
      store.observe(jobIn(state));
      expect([state, store.get().debugging.exception === undefined]).toEqual([state, isCleared]);
    }
  });

  it("ignores an answer that is older than an event of the socket", () => {
    const store = createProcessorStore();
    store.observe(jobIn("READY", { revision: 5 }));
    store.observe(jobIn("RUNNING", { revision: 4 }));
    expect(store.get().shown).toBe("READY");
  });

  it("ends nothing when a usage sample arrives", () => {
    const store = createProcessorStore();
    store.observe(jobIn("RUNNING"));
    store.raise(raised);
    store.setRunning(3);
    store.observe(jobIn("RUNNING", { cpu_seconds: 5 }));
    expect(store.get().debugging).toMatchObject({ runningNode: 3, exception: { line: 8 } });
  });

  it("S4-077 the mark of the running node goes with the state", () => {
    const store = createProcessorStore();
    store.observe(jobIn("RUNNING"));
    store.setRunning(3);
    store.observe(jobIn("READY"));
    expect(store.get().debugging.runningNode).toBeUndefined();
  });

  it("a place that a step came to leaves no breakpoint behind", () => {
    const store = createProcessorStore();
    store.observe(jobIn("RESUMEREADY"));
    store.hit(hit);
    store.hit({ ...hit, line_number: 9 });
    store.observe(jobIn("READY"));
    expect(store.get().debugging.breakpoints).toEqual({});
  });

  it("a session that was replaced is not taken for the current one", () => {
    const store = createProcessorStore();
    store.observe(jobIn("READY", { id: "new", time_created: "2026-02-01T00:00:00Z" }));
    store.observe(jobIn("EXITED", { id: "old", time_created: "2026-01-01T00:00:00Z" }));
    expect(store.get().job?.id).toBe("new");
  });
});

it("S8-034 in a read-only log view every action but cancel is not implemented", async () => {
  let cancelled = 0;
  const { cancel, ...others } = readOnlyActions(async () => (cancelled += 1));
  for (const action of Object.values(others) as (() => Promise<unknown>)[])
    await expect(action()).rejects.toThrow("Not implemented");
  await cancel();
  expect(cancelled).toBe(1);
});

describe("an interrupt", () => {
  const places = [{ wob_key: 3, line_number: 12, funcname: "fit" }];

  it("is shown at once, then with what it waits for, until nothing runs any more", () => {
    const store = createProcessorStore();
    store.observe(jobIn("RUNNING"));
    store.beginInterrupt();
    expect(store.get().interrupt?.nodes).toEqual([]);
    const since = store.get().interrupt?.since;
    store.interrupting({ job_id: "job-1", seconds: 1, nodes: places });
    expect(store.get().interrupt).toEqual({ since, nodes: places });
    store.observe(jobIn("READY", { revision: 2 }));
    expect(store.get().interrupt).toBeUndefined();
    // A late event shows nothing again.
    store.interrupting({ job_id: "job-1", seconds: 2, nodes: places });
    expect(store.get().interrupt).toBeUndefined();
  });

  it("is also shown when somebody else started it", () => {
    const store = createProcessorStore();
    store.observe(jobIn("RUNNING"));
    store.act({ job_id: "job-1", command: "interrupt", by: { username: "ada", first_name: "Ada" } });
    expect(store.get().interrupt).toBeDefined();
  });

  it("that was refused is taken back", () => {
    const store = createProcessorStore();
    store.observe(jobIn("RUNNING"));
    store.beginInterrupt().takeBack();
    expect(store.get().interrupt).toBeUndefined();
  });
});

describe("what a run failed with", () => {
  it("is kept for each node until the next run begins; a pause is not another run", () => {
    const store = createProcessorStore();
    store.observe(jobIn("RUNNING"));
    store.raise({ ...raised, wob_key: 3, traceback: "first" });
    store.raise({ ...raised, wob_key: 4, traceback: "second" });
    store.observe(jobIn("RESUMEREADY", { revision: 2 }));
    store.observe(jobIn("RUNNING", { revision: 3 }));
    store.endRun({ job_id: "job-1", interrupted: false, failed: [3, 4] });
    store.observe(jobIn("READY", { revision: 4 }));
    expect(store.get().failed).toEqual([3, 4]);
    store.showException(3);
    expect(store.get().debugging.exception?.traceback).toBe("first");
    store.observe(jobIn("RUNNING", { revision: 5 }));
    expect(store.get().failed).toEqual([]);
    store.showException(4);
    expect(store.get().debugging.exception).toBeUndefined();
  });

  it("is shown to somebody who opens the page later, and not again after it was closed", () => {
    const store = createProcessorStore();
    store.observe(jobIn("READY"));
    const kept = (wob_key: number | null, traceback: string) => ({ wob_key, line: 8, function: "run", traceback });
    store.recall([kept(3, "first"), kept(4, "second"), kept(null, "of no node")]);
    expect(store.get().debugging.exception).toEqual({ wobId: 4, line: 8, function: "run", traceback: "second" });
    expect(store.get().failed).toEqual([3, 4]);
    store.dismissException();
    store.recall([kept(3, "again")]);
    expect(store.get().debugging.exception).toBeUndefined();
  });
});
