import { describe, expect, it } from "vitest";

import type { Job, JobsResponse } from "@miranda/contract/schemas/processors.ts";
import { sessionGroupOf } from "@miranda/contract/sessions.ts";

import { withFirstPage, withOlderPage } from "./loaded-jobs.ts";
import { placeJob } from "./place-job.ts";

const idOf = (number: number) => `id-${String(number).padStart(3, "0")}`;

function job(number: number, workflow_state: Job["workflow_state"] = "EXITED", revision = 1): Job {
  const time_created = `2026-01-01T00:${String(number).padStart(2, "0")}`;
  return { id: idOf(number), workflow_state, time_created, revision, logs: [] } as unknown as Job;
}

/** A page with these sessions. `next` is the number of the last one when the list goes on. */
function page(jobs: Job[], next?: number): JobsResponse {
  const groups: JobsResponse = { queued: [], running: [], errored: [], exited: [], next: null };
  for (const one of jobs) groups[sessionGroupOf(one.workflow_state)].push(one);
  return { ...groups, next: next === undefined ? null : idOf(next) };
}

const numbers = (jobs: readonly Job[]) => jobs.map(({ id }) => Number(id.slice(3)));

describe("an older page", () => {
  const first = page([job(9, "RUNNING"), job(8), job(7, "ERROR"), job(6)], 6);

  it("continues every group", () => {
    const both = withOlderPage(first, idOf(6), page([job(9, "RUNNING"), job(5), job(4, "ERROR"), job(3)], 3));
    expect(numbers(both.running)).toEqual([9]);
    expect(numbers(both.exited)).toEqual([8, 6, 5, 3]);
    expect(numbers(both.errored)).toEqual([7, 4]);
    expect(both.next).toBe(idOf(3));
  });

  it("is ignored when the list was started anew meanwhile", () => {
    expect(withOlderPage(first, idOf(7), page([job(5)]))).toBe(first);
  });

  it("does not overwrite a newer event", () => {
    const ended = placeJob(first, job(2, "EXITED", 5));
    const both = withOlderPage(ended, idOf(6), page([job(5), job(2, "ERROR", 4)]));
    expect(numbers(both.exited)).toEqual([8, 6, 5, 2]);
    expect(numbers(both.errored)).toEqual([7]);
  });

  it("moves a session that has ended since the list was read", () => {
    const alive = placeJob(first, job(2, "RUNNING", 1));
    const both = withOlderPage(alive, idOf(6), page([job(5), job(2, "ERROR", 2)]));
    expect(numbers(both.running)).toEqual([9]);
    expect(numbers(both.errored)).toEqual([7, 2]);
  });
});

describe("the first page, fetched again", () => {
  const loaded = page([job(9, "RUNNING"), job(8), job(7, "ERROR"), job(6), job(5), job(4, "ERROR"), job(3)], 3);

  it("keeps the older pages and the sessions that newer ones pushed off the page", () => {
    const again = withFirstPage(loaded, page([job(10), job(9), job(8), job(7, "ERROR")], 7));
    expect(numbers(again.running)).toEqual([]);
    expect(numbers(again.exited)).toEqual([10, 9, 8, 6, 5, 3]);
    expect(numbers(again.errored)).toEqual([7, 4]);
    expect(again.next).toBe(idOf(3));
  });

  it("drops sessions that were deleted", () => {
    const again = withFirstPage(loaded, page([job(9, "RUNNING"), job(8), job(6)], 6));
    expect(numbers(again.exited)).toEqual([8, 6, 5, 3]);
    expect(numbers(again.errored)).toEqual([4]);
    expect(withFirstPage(loaded, page([job(8)])).exited).toHaveLength(1);
  });

  it("keeps the sessions above one that an event added further down", () => {
    const alive = placeJob(loaded, job(4, "RUNNING", 2));
    const fresh = placeJob(page([job(9, "RUNNING"), job(8), job(6)], 6), job(4, "EXITED", 3));
    const again = withFirstPage(alive, fresh);
    expect(numbers(again.exited)).toEqual([8, 6, 5, 4, 3]);
    expect(numbers(again.running)).toEqual([9]);
    expect(again.next).toBe(idOf(3));
  });

  it("starts the list anew when sessions between the two would be missing", () => {
    const fresh = page([job(20), job(19)], 19);
    expect(withFirstPage(loaded, fresh)).toBe(fresh);
  });

  it("starts the list anew when a session ended unnoticed whose place is on an older page", () => {
    const withOld = placeJob(loaded, job(4, "RUNNING", 1));
    const fresh = page([job(9, "RUNNING"), job(8), job(6)], 6);
    expect(withFirstPage(withOld, fresh)).toBe(fresh);
  });

  it("is the list when nothing was loaded", () => {
    const fresh = page([job(8)], 8);
    expect(withFirstPage(undefined, fresh)).toBe(fresh);
  });
});
