import { expect, it } from "vitest";

import type { JobSummary } from "@miranda/contract/schemas/processors.ts";

import { createRecentJobUpdates } from "./recent-job-updates.ts";

const job = (id: string, revision: number) => ({ id, revision }) as JobSummary;

it("applies updates that come while an answer is pending", async () => {
  const jobs = createRecentJobUpdates();
  jobs.add(job("before", 1));
  const { promise, resolve } = Promise.withResolvers<string[]>();
  const answer = jobs.applyTo(promise, (list, { id }) => [...list, id]);
  jobs.add(job("meanwhile", 1));
  resolve(["asked"]);
  expect(await answer).toEqual(["asked", "meanwhile"]);
});

it("keeps a limited number of updates", async () => {
  const jobs = createRecentJobUpdates();
  const { promise, resolve } = Promise.withResolvers<number>();
  const answer = jobs.applyTo(promise, (count) => count + 1);
  for (let at = 0; at < 600; at++) jobs.add(job(String(at), 1));
  jobs.add(job("1", 2));
  resolve(0);
  expect(await answer).toBe(500);
});
