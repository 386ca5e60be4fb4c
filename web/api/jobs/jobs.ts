import { type QueryClient, useQuery } from "@tanstack/react-query";

import { refresh } from "../../limits.ts";
import type { Job, JobsResponse, JobSummary } from "@miranda/contract/schemas/processors.ts";

import { call } from "../http.ts";
import { placeJob } from "./place-job.ts";
import { createRecentJobUpdates } from "./recent-job-updates.ts";

const jobKeys = {
  lists: ["jobs", "list"],
  list: ["jobs", "list", "all"],
  ofGraph: (graphId: string) => ["jobs", "list", graphId],
  one: (id: string) => ["jobs", "one", id],
} as const;

const recentUpdates = createRecentJobUpdates();
const listPath = "/api/v3/jobs?log_max_length=1&log_lines=1";

export function useJobs() {
  return useQuery({
    queryKey: jobKeys.list,
    queryFn: ({ signal }) => recentUpdates.applyTo(call<JobsResponse>(listPath, { signal }), placeJob),
    refetchInterval: refresh.jobsList,
  });
}

export function useJobsOfGraph(graphId: string) {
  return useQuery({
    queryKey: jobKeys.ofGraph(graphId),
    queryFn: ({ signal }) => call<JobsResponse>(`${listPath}&graph_id=${encodeURIComponent(graphId)}`, { signal }),
    refetchInterval: refresh.jobsList,
  });
}

function readJob(id: string): Promise<Job> {
  return recentUpdates.applyTo(call<Job>(`/api/v3/jobs/${encodeURIComponent(id)}`), newerOf);
}

function newerOf(known: Job, job: JobSummary): Job {
  return job.id === known.id && job.revision >= known.revision ? { ...known, ...job } : known;
}

/** A session with its log, polled. */
export function usePolledJob(id: string) {
  return useQuery({ queryKey: jobKeys.one(id), queryFn: () => readJob(id), refetchInterval: refresh.job });
}

/** A session that has ended does not change any more, so it is loaded once. */
export function usePastJob(id: string) {
  return useQuery({
    queryKey: jobKeys.one(id),
    // Do not cancel it when its component unmounts: the answer is cached for the next time.
    queryFn: () => readJob(id),
    refetchInterval: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** A window of a log: the lines before this number. */
export async function readEarlierLog(id: string, before: number, lines: number): Promise<Job["logs"]> {
  const path = `/api/v3/jobs/${encodeURIComponent(id)}?before=${before}&log_lines=${lines}`;
  return (await call<Job>(path)).logs;
}

/** All lines after this number. */
export async function readLaterLog(id: string, after: number): Promise<Job["logs"]> {
  return (await call<Job>(`/api/v3/jobs/${encodeURIComponent(id)}?after=${after}`)).logs;
}

export function cancelJob(id: string): Promise<JobSummary> {
  return call(`/api/v3/jobs/${encodeURIComponent(id)}/cancel`, { method: "PUT" });
}

/** Restarts the idle countdown of a session. */
export function keepJob(id: string): Promise<JobSummary> {
  return call(`/api/v3/jobs/${encodeURIComponent(id)}/keep`, { method: "PUT" });
}

export function refetchJobs(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: jobKeys.lists });
}

/** Puts a session from a socket event into the cached lists and the cached session. */
export function putJob(client: QueryClient, job: JobSummary): void {
  recentUpdates.add(job);
  client.setQueriesData<JobsResponse>({ queryKey: jobKeys.list }, (jobs) => jobs && placeJob(jobs, job));
  client.setQueryData<Job>(jobKeys.one(job.id), (known) => known && newerOf(known, job));
}
