import { describe, expect, it } from "vitest";

import type { Job, JobsResponse } from "@miranda/contract/schemas/processors.ts";

import { placeJob } from "./place-job.ts";

const job = (id: string, workflow_state: Job["workflow_state"], time_created: string) =>
  ({ id, workflow_state, time_created, logs: [] }) as unknown as Job;
const lists = (): JobsResponse => ({
  queued: [job("q", "QUEUED", "2026-01-03")],
  running: [job("r", "RUNNING", "2026-01-02"), job("s", "READY", "2026-01-01")],
  errored: [],
  exited: [],
  next: null,
});

describe("a job update from the socket", () => {
  it("updates the session in its place", () => {
    const placed = placeJob(lists(), { ...job("s", "RUNNING", "2026-01-01"), total_cost: 2 });
    expect(placed.running.map(({ id }) => id)).toEqual(["r", "s"]);
    expect(placed.running[1]?.total_cost).toBe(2);
  });

  it("moves the session when its state belongs to another group", () => {
    const placed = placeJob(lists(), job("q", "STARTING", "2026-01-03"));
    expect(placed.queued).toEqual([]);
    expect(placed.running.map(({ id }) => id)).toEqual(["q", "r", "s"]);
  });

  it("is ignored when a newer update came before", () => {
    const newer = placeJob(lists(), { ...job("r", "EXITED", "2026-01-02"), revision: 7 });
    expect(placeJob(newer, { ...job("r", "RUNNING", "2026-01-02"), revision: 6 })).toBe(newer);
  });

  it("adds a new session", () => {
    expect(placeJob(lists(), job("n", "ERROR", "2026-01-04")).errored.map(({ id }) => id)).toEqual(["n"]);
  });
});
