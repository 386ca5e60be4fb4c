import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";

import type { CallInDesigner, CallPage } from "@miranda/contract/schemas/deployments/calls.ts";

import { refresh } from "../../limits.ts";
import { call } from "../http.ts";
import { deploymentKeys, deploymentPath } from "./deployments.ts";

/** What a list of calls is limited to, by the names of the query. */
export type CallFilter = Readonly<Record<string, string>>;

/** All calls of a deployment, newest first. */
export const callsQuery = (graphId: string, filter: CallFilter) =>
  infiniteQueryOptions({
    queryKey: [...deploymentKeys.calls(graphId), filter],
    queryFn: ({ pageParam: after, signal }) => {
      const query = new URLSearchParams({ ...filter, ...(after !== "" && { after }) });
      return call<CallPage>(deploymentPath(graphId, `/calls?${query}`), { signal });
    },
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    // Pages are read again one after the other, so a long list follows the events alone.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? refresh.runs : false),
  });

/** What an editor needs to open a call in the Designer. */
export const callInDesignerQuery = (name: string, callId: string) =>
  queryOptions({
    queryKey: ["call in designer", callId],
    queryFn: ({ signal }) =>
      call<CallInDesigner>(`/api/v3/deployments/${encodeURIComponent(name)}/runs/${callId}/designer`, { signal }),
    refetchInterval: false,
    retry: false,
  });

/** Opens the workflow with what a call was given. */
export const callAddress = (projectId: string, graphId: string, callId: string) =>
  `/designer/projects/${projectId}/graphs/${graphId}?call=${callId}`;
