import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";

import type {
  InstallationGrouping,
  InstallationSpending,
} from "@miranda/contract/schemas/billing/installation-spending.ts";

import { call } from "../http.ts";

interface ReportDays {
  from: string;
  to: string;
}

const path = "/api/v3/admin/spending";
const perPage = 25;

/** Days are those of this browser's time zone. */
function queryOf(values: Record<string, string>): string {
  const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions();
  return new URLSearchParams({ zone, ...values }).toString();
}

/** What everybody has spent. For administrators. */
export function useInstallationSpending({ from, to }: ReportDays, by: InstallationGrouping) {
  return useInfiniteQuery({
    queryKey: ["admin", "spending", from, to, by],
    queryFn: ({ signal, pageParam }) => {
      const query = queryOf({ from, to, by, after: `${pageParam}`, limit: `${perPage}` });
      return call<InstallationSpending>(`${path}?${query}`, { signal });
    },
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchOnMount: "always",
  });
}

export const spendingFile = ({ from, to }: ReportDays): string => `${path}.csv?${queryOf({ from, to })}`;
