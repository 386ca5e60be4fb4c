import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";

import type { AuditPage } from "@miranda/contract/schemas/audit.ts";

import { call } from "../http.ts";

/** Undefined: the whole installation. Otherwise a project. */
export type AuditScope = string | undefined;

/** An empty text does not filter. */
export interface AuditFilters {
  person: string;
  kind: string;
  project_id: string;
  result: string;
  from: string;
  to: string;
  text: string;
}

export const noFilters: AuditFilters = { person: "", kind: "", project_id: "", result: "", from: "", to: "", text: "" };

const perPage = 50;

const pathOf = (scope: AuditScope): string =>
  scope === undefined ? "/api/v3/admin/audit" : `/api/v3/projects/${encodeURIComponent(scope)}/audit`;

function queryOf(values: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== "") query.set(name, String(value));
  return query.toString();
}

const first: number | "" = "";

export function useAuditEvents(scope: AuditScope, filters: AuditFilters) {
  return useInfiniteQuery({
    queryKey: ["audit", scope ?? "all", filters],
    queryFn: ({ signal, pageParam }) =>
      call<AuditPage>(`${pathOf(scope)}?${queryOf({ ...filters, after: pageParam, limit: perPage })}`, { signal }),
    initialPageParam: first,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: false,
    refetchOnMount: "always",
    retry: false,
  });
}

export const exportAddress = (scope: AuditScope, filters: AuditFilters, format: "csv" | "jsonl"): string =>
  `${pathOf(scope)}.${format}?${queryOf(filters)}`;
