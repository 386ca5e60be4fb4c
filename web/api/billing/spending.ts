import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";

import type { MonthBudgetAnswer } from "@miranda/contract/schemas/billing/budgets.ts";
import type {
  LedgerPage,
  SamplePage,
  SpendingDays,
  SpendingGrouping,
  SpendingOfSession,
  SpendingParts,
  SpendingSummary,
} from "@miranda/contract/schemas/billing/spending.ts";

import { refresh } from "../../limits.ts";
import { call } from "../http.ts";

/** Undefined: the person's own account. Otherwise a project. */
export type SpendingScope = string | undefined;

/** Which part of the spending is shown. An empty text does not filter. */
export interface SpendingFilters {
  from: string;
  to: string;
  project: string;
  workflow: string;
  person: string;
  source: string;
}

interface LedgerFilters extends SpendingFilters {
  kind: string;
}

const perPage = 25;

const pathOf = (scope: SpendingScope): string =>
  scope === undefined ? "/api/v3/billing" : `/api/v3/projects/${encodeURIComponent(scope)}/billing`;
const keyOf = (scope: SpendingScope, ...more: unknown[]) => ["spending", scope ?? "own", ...more];

/** The page shows days in the time zone of this browser. */
const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

function queryOf(values: object): string {
  const query = new URLSearchParams({ zone: ownZone() });
  for (const [name, value] of Object.entries(values)) if (value !== "") query.set(name, String(value));
  return query.toString();
}

export function useSpendingSummary(scope: SpendingScope) {
  return useQuery({
    queryKey: keyOf(scope, "summary"),
    queryFn: ({ signal }) => call<SpendingSummary>(`${pathOf(scope)}?${queryOf({})}`, { signal }),
    refetchInterval: refresh.jobsList,
    refetchOnMount: "always",
  });
}

export function useSpendingDays(scope: SpendingScope, filters: SpendingFilters, by: SpendingGrouping) {
  return useQuery({
    queryKey: keyOf(scope, "days", filters, by),
    queryFn: ({ signal }) => call<SpendingDays>(`${pathOf(scope)}/days?${queryOf({ ...filters, by })}`, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: refresh.jobsList,
    refetchOnMount: "always",
  });
}

/** All parts of what is shown, also those too small for the chart. */
export function useSpendingParts(
  scope: SpendingScope,
  by: SpendingGrouping,
  filters: SpendingFilters & { search: string },
) {
  return useInfiniteQuery({
    queryKey: keyOf(scope, "parts", by, filters),
    queryFn: ({ signal, pageParam }) =>
      call<SpendingParts>(`${pathOf(scope)}/parts?${queryOf({ ...filters, by, after: pageParam, limit: perPage })}`, {
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: false,
  });
}

export function useLedger(scope: SpendingScope, filters: LedgerFilters) {
  return useInfiniteQuery({
    queryKey: keyOf(scope, "ledger", filters),
    queryFn: ({ signal, pageParam }) =>
      call<LedgerPage>(`${pathOf(scope)}/ledger?${queryOf({ ...filters, after: pageParam, limit: perPage })}`, {
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: false,
    refetchOnMount: "always",
  });
}

export const csvAddress = (scope: SpendingScope, filters: LedgerFilters): string =>
  `${pathOf(scope)}/ledger.csv?${queryOf(filters)}`;

export function useSessionSpending(scope: SpendingScope, jobId: string) {
  return useQuery({
    queryKey: keyOf(scope, "session", jobId),
    queryFn: ({ signal }) => call<SpendingOfSession>(`${pathOf(scope)}/sessions/${jobId}`, { signal }),
    refetchInterval: false,
    refetchOnMount: "always",
  });
}

export function useSamples(scope: SpendingScope, jobId: string, enabled: boolean) {
  return useInfiniteQuery({
    queryKey: keyOf(scope, "samples", jobId),
    queryFn: ({ signal, pageParam }) =>
      call<SamplePage>(`${pathOf(scope)}/sessions/${jobId}/samples?after=${pageParam}`, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
    enabled,
    refetchInterval: false,
  });
}

/** Saves the budget for the month. Undefined removes it. */
export function useSaveMonthBudget(scope: SpendingScope) {
  const client = useQueryClient();
  return async (fields: { amount: string; at_full: string } | undefined): Promise<void> => {
    const path = `${pathOf(scope)}/budget`;
    if (fields) await call<MonthBudgetAnswer>(path, { method: "PUT", fields: { ...fields, zone: ownZone() } });
    else await call(path, { method: "DELETE" });
    await client.invalidateQueries({ queryKey: keyOf(scope, "summary") });
  };
}
