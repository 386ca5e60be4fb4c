import { useQuery } from "@tanstack/react-query";

import type { Settings, Warning, WarningList } from "@miranda/contract/schemas/settings.ts";
import { moneyText } from "@miranda/contract/words/money-text.ts";

import { call } from "./http.ts";

/** Settings of this installation. They do not change while a page is open. */
export function useSettings(): Settings | undefined {
  const { data } = useQuery({
    queryKey: ["settings"],
    queryFn: ({ signal }) => call<Settings>("/api/v3/settings", { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });
  return data;
}

/** The currency sign; empty until it is known, so that no wrong sign is shown. */
export function useCurrency(): string {
  return useSettings()?.currency ?? "";
}

type Digits = Parameters<typeof moneyText>[2];

/** Writes amounts of money with the installation's currency sign. */
export function useMoney(): (amount: bigint | string | number, digits?: Digits) => string {
  const sign = useCurrency();
  return (amount, digits) => moneyText(amount, sign, digits);
}

/** What administrators should change about this installation. Only they may load it. */
export function useWarnings(): readonly Warning[] {
  const { data } = useQuery({
    queryKey: ["warnings"],
    queryFn: ({ signal }) => call<WarningList>("/api/v3/settings/warnings", { signal }),
    // A disk that fills up has to be known soon.
    refetchInterval: 60_000,
  });
  return data?.warnings ?? [];
}
