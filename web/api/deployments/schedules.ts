import { infiniteQueryOptions, keepPreviousData, queryOptions, useQueryClient } from "@tanstack/react-query";

import type { CallSummary } from "@miranda/contract/schemas/deployments/calls.ts";
import type {
  Schedule,
  ScheduleBody,
  SchedulePatch,
  SchedulePreview,
  SchedulePreviewBody,
  ScheduleTickPage,
} from "@miranda/contract/schemas/deployments/schedules.ts";
import type { FileValue } from "@miranda/contract/schemas/files.ts";

import { call } from "../http.ts";
import { deploymentKeys, deploymentPath } from "./deployments.ts";

const path = (graphId: string, id = "", rest = "") =>
  deploymentPath(graphId, `/schedules${id === "" ? "" : `/${encodeURIComponent(id)}`}${rest}`);

const keyOf = (graphId: string) => [...deploymentKeys.of(graphId), "schedules"];

export const schedulesQuery = (graphId: string) =>
  queryOptions({
    queryKey: [...keyOf(graphId), "all"],
    queryFn: ({ signal }) => call<Schedule[]>(path(graphId), { signal }),
  });

/** The times of a schedule that have come, newest first. */
export const scheduleTicksQuery = (graphId: string, id: string) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(graphId), "ticks", id],
    queryFn: ({ pageParam: after, signal }) => {
      const page = after === "" ? "" : `&after=${encodeURIComponent(after)}`;
      return call<ScheduleTickPage>(path(graphId, id, `/ticks?limit=20${page}`), { signal });
    },
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
  });

/** When a schedule would run. The last answer stays until the next one is there. */
export const schedulePreviewQuery = (timing: SchedulePreviewBody) =>
  queryOptions({
    queryKey: ["schedule preview", timing],
    queryFn: ({ signal }) =>
      call<SchedulePreview>("/api/v3/schedules/preview", { method: "POST", body: { json: timing }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: false,
    retry: false,
  });

export function useScheduleActions(graphId: string) {
  const client = useQueryClient();
  const refetch = () => client.invalidateQueries({ queryKey: keyOf(graphId) });
  return {
    async create(body: ScheduleBody): Promise<void> {
      await call<Schedule>(path(graphId), { method: "POST", body: { json: body } });
      await refetch();
    },
    async change(id: string, patch: SchedulePatch): Promise<void> {
      await call<Schedule>(path(graphId, id), { method: "PATCH", body: { json: patch } });
      await refetch();
    },
    async remove(id: string): Promise<void> {
      await call(path(graphId, id), { method: "DELETE" });
      await refetch();
    },
    async run(id: string): Promise<CallSummary> {
      const made = await call<CallSummary>(path(graphId, id, "/run"), { method: "POST" });
      await refetch();
      return made;
    },
    /** Stores a file that a schedule sends. */
    addFile: (file: File): Promise<FileValue> =>
      call<FileValue>(path(graphId, "", "/files"), { method: "POST", fields: { file } }),
  };
}
