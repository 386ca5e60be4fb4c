import { expect, it } from "vitest";

import type { JobSummary } from "@miranda/contract/schemas/processors.ts";

import { createToldJobs } from "./recent-job-updates.ts";

const job = (id: string, revision: number) => ({ id, revision }) as JobSummary;

it("what is told while an answer is on its way is newer than the answer", async () => {
  const jobs = createToldJobs();
  jobs.tell(job("before", 1));
  const { promise, resolve } = Promise.withResolvers<string[]>();
  const answer = jobs.over(promise, (list, { id }) => [...list, id]);
  jobs.tell(job("meanwhile", 1));
  resolve(["asked"]);
  expect(await answer).toEqual(["asked", "meanwhile"]);
});

it("only so much is kept", async () => {
  const jobs = createToldJobs();
  const { promise, resolve } = Promise.withResolvers<number>();
  const answer = jobs.over(promise, (count) => count + 1);
  for (let at = 0; at < 600; at++) jobs.tell(job(String(at), 1));
  jobs.tell(job("1", 2));
  resolve(0);
  expect(await answer).toBe(500);
});
