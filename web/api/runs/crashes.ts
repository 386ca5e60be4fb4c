import { queryOptions } from "@tanstack/react-query";

import type { RunDetails, RunException } from "@miranda/contract/schemas/runs.ts";

import { call } from "../http.ts";

async function readExceptions(runId: string, signal: AbortSignal): Promise<RunException[]> {
  return (await call<RunDetails>(`/api/v3/runs/${encodeURIComponent(runId)}`, { signal })).exceptions;
}

/** The exceptions of a run, with their variables. `moment` tells apart what was raised later in the same run. */
export const exceptionsQuery = (runId: string | undefined, moment = "") =>
  queryOptions({
    queryKey: ["runs", "exceptions", runId, moment],
    queryFn: ({ signal }) => (runId === undefined ? [] : readExceptions(runId, signal)),
    enabled: runId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
    structuralSharing: false,
    retry: false,
  });

/** Where an exception is fixed: the code at its line, with its variables beside it. */
export function fixAddress(
  graph: { id: string; project_id: string },
  runId: string,
  { number, wob_key, line }: Pick<RunException, "number" | "wob_key" | "line">,
): string {
  const code = `/designer/projects/${graph.project_id}/graphs/${graph.id}/code/${wob_key ?? "none"}`;
  return `${code}?line=${line}&crash=${runId}.${number}`;
}

/** What `crash` in an address names. Undefined for anything that `fixAddress` did not write. */
export function readCrashName(name: string | null): { runId: string; number: number } | undefined {
  const [, runId, number] = /^([0-9a-f-]{36})\.(\d{1,9})$/.exec(name ?? "") ?? [];
  return runId === undefined ? undefined : { runId, number: Number(number) };
}
