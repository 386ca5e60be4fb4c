import { useQuery, useQueryClient } from "@tanstack/react-query";

import type { PriceList, PricesNow } from "@miranda/contract/schemas/billing/prices.ts";

import { call } from "../http.ts";

const path = "/api/v3/admin/prices";
const listKey = ["admin", "prices"];

/** The prices that hold, and the next ones. */
export function usePricesNow() {
  return useQuery({
    queryKey: ["prices"],
    queryFn: ({ signal }) => call<PricesNow>("/api/v3/prices", { signal }),
    refetchInterval: false,
    refetchOnMount: "always",
  });
}

/** Not refreshed by itself: a change is refused when somebody else changed the prices since they were shown. */
export function usePriceList() {
  return useQuery({
    queryKey: listKey,
    queryFn: ({ signal }) => call<PriceList>(path, { signal }),
    refetchInterval: false,
    refetchOnWindowFocus: false,
    refetchOnMount: "always",
  });
}

export interface NewPrice {
  core_hour: string;
  ram_gb_hour: string;
  hour: string;
  /** Empty: as soon as possible. */
  from: string;
  note: string;
}

export function usePriceActions(version: number) {
  const client = useQueryClient();
  async function change(address: string, fields: Record<string, string>): Promise<void> {
    const list = await call<PriceList>(address, { method: "POST", fields: { ...fields, version: String(version) } });
    client.setQueryData(listKey, list);
    await client.invalidateQueries({ queryKey: ["prices"] });
  }
  return {
    set: (price: NewPrice) => change(path, { ...price }),
    withdraw: (id: number) => change(`${path}/${id}/withdraw`, {}),
  };
}
