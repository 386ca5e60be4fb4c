import { type InfiniteData, infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query";

import type { LogEntry, NodeOutput } from "@miranda/contract/schemas/processors.ts";
import type { Run, RunDetails, RunPage } from "@miranda/contract/schemas/runs.ts";
import type { VersionGraph } from "@miranda/contract/schemas/versions.ts";

import { refresh } from "../../limits.ts";
import { call } from "../http.ts";

const path = (runId: string) => `/api/v3/runs/${encodeURIComponent(runId)}`;

const keys = {
  lists: ["runs", "list"],
  one: (runId: string) => ["runs", "one", runId],
  last: (jobId: string) => ["runs", "last", jobId],
} as const;

export const runAddress = (runId: string, part = "") => `/designer/runs/${runId}${part === "" ? "" : `/${part}`}`;

/** The address of a list of runs: of a project, of a workflow, or of everything. */
export function runsAddress(of: { project?: string; graph?: string; version?: string } = {}): string {
  const { project, ...filter } = of;
  const query = new URLSearchParams(filter).toString();
  const address = project === undefined ? "/designer/runs" : `/designer/projects/${project}/runs`;
  return query === "" ? address : `${address}?${query}`;
}

/** What a list of runs is limited to, by the names of the call. */
export type RunFilter = Readonly<Record<string, string>>;

const pageSize = 60;

/** Newest first. */
export const runsQuery = (filter: RunFilter) =>
  infiniteQueryOptions({
    queryKey: [...keys.lists, filter],
    queryFn: ({ pageParam: after, signal }) => {
      const query = new URLSearchParams({ ...filter, limit: `${pageSize}`, ...(after !== "" && { after }) });
      return call<RunPage>(`/api/v3/runs?${query}`, { signal });
    },
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    // Pages are read again one after the other, so a long list follows the events alone.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? refresh.runs : false),
  });

export const runQuery = (runId: string) =>
  queryOptions({
    queryKey: keys.one(runId),
    queryFn: ({ signal }) => call<RunDetails>(path(runId), { signal }),
    // A run that has ended changes no more. A living one is read again when an event says so.
    refetchInterval: ({ state }) => (state.data && state.data.time_ended === null ? refresh.default : false),
    structuralSharing: false,
    retry: false,
  });

/** The last run of a session, without its nodes: a workflow may have thousands. */
export const lastRunQuery = (jobId: string) =>
  queryOptions({
    queryKey: keys.last(jobId),
    queryFn: async ({ signal }): Promise<Run | null> => {
      const page = await call<RunPage>(`/api/v3/runs?${new URLSearchParams({ job_id: jobId, limit: "1" })}`, {
        signal,
      });
      return page.runs[0] ?? null;
    },
    refetchInterval: ({ state }) => (state.data && state.data.time_ended === null ? refresh.default : false),
  });

/** What was run. It never changes. */
export const runGraphQuery = (runId: string) =>
  queryOptions({
    queryKey: [...keys.one(runId), "graph"],
    queryFn: ({ signal }) => call<VersionGraph>(`${path(runId)}/graph`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
    structuralSharing: false,
    retry: false,
  });

/** All outputs of a node in a run, page by page. Those of a living run are read again when the run has changed. */
export const runOutputsQuery = ({ id, time_ended, revision }: Run, node: number) =>
  queryOptions({
    queryKey: [...keys.one(id), "outputs", node, time_ended === null ? revision : "ended"],
    queryFn: async ({ signal }) => {
      const all: NodeOutput[] = [];
      for (;;) {
        const after = all.at(-1)?.number ?? 0;
        const page = await call<NodeOutput[]>(`${path(id)}/outputs?node=${node}&after=${after}`, { signal });
        if (page.length === 0) return all;
        all.push(...page);
      }
    },
    refetchInterval: false,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (known, query) => (query?.queryKey[4] === node ? known : undefined),
    retry: false,
  });

/** The lines of a run, or of one of its nodes, after a line. Without a line: the last ones. */
export function readRunLog(
  runId: string,
  { node, after }: { node?: number; after?: number },
  signal: AbortSignal,
): Promise<LogEntry[]> {
  const query = new URLSearchParams({
    ...(node !== undefined && { node: `${node}` }),
    ...(after !== undefined && { after: `${after}` }),
  });
  return call(`${path(runId)}/logs?${query}`, { signal });
}

/** The newest run of a workflow that tries a version of a template in this node. It is asked for again until it ends. */
export const trialQuery = (graphId: string, node: number, version: number) =>
  queryOptions({
    queryKey: ["trials", graphId, node, version],
    queryFn: async ({ signal }): Promise<RunDetails | null> => {
      const { runs } = await call<RunPage>(`/api/v3/runs?${new URLSearchParams({ graph_id: graphId, limit: "5" })}`, {
        signal,
      });
      const found = runs.find(({ trial }) => trial?.wob_key === node && trial.version === version);
      return found ? call<RunDetails>(path(found.id), { signal }) : null;
    },
    refetchInterval: ({ state }) => (state.data?.time_ended ? false : refresh.usage),
    structuralSharing: false,
  });

export function deleteRun(runId: string): Promise<void> {
  return call(path(runId), { method: "DELETE" });
}

/** Puts a run from an event into the loaded lists and the opened run. An older state changes nothing. */
export function putRun(client: QueryClient, run: Run): void {
  client.setQueriesData<InfiniteData<RunPage>>({ queryKey: keys.lists }, (data) => data && withRun(data, run));
  client.setQueryData<RunDetails>(
    keys.one(run.id),
    (known) => known && (run.revision > known.revision ? { ...known, ...run } : known),
  );
}

/** The same object when the list does not have this run, so that nothing is drawn again. */
function withRun(data: InfiniteData<RunPage>, run: Run): InfiniteData<RunPage> {
  const isOlder = (known: Run) => known.id === run.id && known.revision < run.revision;
  if (!data.pages.some(({ runs }) => runs.some(isOlder))) return data;
  return {
    ...data,
    pages: data.pages.map((page) =>
      page.runs.some(isOlder) ? { ...page, runs: page.runs.map((known) => (isOlder(known) ? run : known)) } : page,
    ),
  };
}

/** Puts a run from an event in the place of the last run of its session, unless a later one is there. */
export function putLastRun(client: QueryClient, run: Run): void {
  client.setQueryData<Run | null>(keys.last(run.session.id), (known) => {
    const isOlder = known && (run.number < known.number || (run.id === known.id && run.revision < known.revision));
    return isOlder ? known : run;
  });
}

export function refetchRuns(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: keys.lists });
}

export function refetchRun(client: QueryClient, runId: string): Promise<void> {
  return client.invalidateQueries({ queryKey: keys.one(runId), exact: true });
}

/** The newest run that repeats this one. */
export async function findRepetition({ id, graph }: Run): Promise<Run | undefined> {
  const { runs } = await call<RunPage>(`/api/v3/runs?graph_id=${graph.id}&limit=10`);
  return runs.find(({ repeats }) => repeats === id);
}
