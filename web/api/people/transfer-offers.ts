import { useQuery } from "@tanstack/react-query";

import type { TransferOfferList } from "@miranda/contract/schemas/people/transfers.ts";

import { call } from "../http.ts";

export const ownOffersKey = ["transfers", "own"] as const;

/** Projects that somebody wants to give to this account. */
export function useTransferOffers() {
  return useQuery({
    queryKey: ownOffersKey,
    queryFn: ({ signal }) => call<TransferOfferList>("/api/v3/transfers", { signal }),
  });
}
