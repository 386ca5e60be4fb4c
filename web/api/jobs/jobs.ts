import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { refresh } from "../../limits.ts";
import type { Job, JobsResponse, JobSummary, QueuePosition } from "@miranda/contract/schemas/processors.ts";

import { call } from "../http.ts";
import { withFirstPage, withOlderPage } from "./loaded-jobs.ts";
import { placeJob } from "./place-job.ts";
import { createRecentJobUpdates } from "./recent-job-updates.ts";

const jobKeys = {
  lists: ["jobs", "list"],
  list: ["jobs", "list", "all"],
  ofGraph: (graphId: string) => ["jobs", "list", graphId],
  one: (id: string) => ["jobs", "one", id],
} as const;

const recentUpdates = createRecentJobUpdates();

/** How many ended sessions a page has: on the processors screen, and beside a graph. */
const pageSizes = { all: 100, ofGraph: 20 } as const;

function readJobs({ graphId, after }: { graphId?: string | undefined; after?: string }, signal?: AbortSignal) {
  const limit = graphId === undefined ? pageSizes.all : pageSizes.ofGraph;
  const parameters = new URLSearchParams({ log_max_length: "1", log_lines: "1", limit: `${limit}` });
  if (graphId !== undefined) parameters.set("graph_id", graphId);
  if (after !== undefined) parameters.set("after", after);
  return call<JobsResponse>(`/api/v3/jobs?${parameters.toString()}`, signal ? { signal } : {});
}

/** All living sessions and the newest ended ones, of one graph or of all, and a function that loads older ones. */
export function useJobs(graphId?: string) {
  const client = useQueryClient();
  const queryKey = graphId === undefined ? jobKeys.list : jobKeys.ofGraph(graphId);
  const list = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const fresh = await recentUpdates.applyTo(readJobs({ graphId }, signal), (jobs, job) =>
        graphId === undefined || (!job.deployment_id && graphId === job.graph?.graph_id) ? placeJob(jobs, job) : jobs,
      );
      return withFirstPage(client.getQueryData<JobsResponse>(queryKey), fresh);
    },
    refetchInterval: refresh.jobsList,
  });
  const older = useMutation({
    mutationFn: async (after: string) => {
      const page = await readJobs({ graphId, after });
      client.setQueryData<JobsResponse>(queryKey, (loaded) => loaded && withOlderPage(loaded, after, page));
    },
  });
  return { ...list, older };
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

/** The last lines, or all between two numbers. */
export async function readLogBetween(id: string, between?: { after: number; before: number }): Promise<Job["logs"]> {
  const query = between ? `?after=${between.after}&before=${between.before}` : "";
  return (await call<Job>(`/api/v3/jobs/${encodeURIComponent(id)}${query}`)).logs;
}

export function cancelJob(id: string): Promise<JobSummary> {
  return call(`/api/v3/jobs/${encodeURIComponent(id)}/cancel`, { method: "PUT" });
}

/** The place of a session in the queue. It is asked for again and again: no event says that sessions before it left. */
export const queuePositionQuery = (jobId: string) =>
  queryOptions({
    queryKey: ["queue-position", jobId],
    queryFn: ({ signal }) => call<QueuePosition | null>(`/api/v3/jobs/${encodeURIComponent(jobId)}/queue`, { signal }),
    refetchInterval: refresh.job,
    retry: false,
  });

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
