import { useQuery, useQueryClient } from "@tanstack/react-query";

import { getCredits, toNumber } from "@miranda/contract/billing/credits.ts";
import type { Person } from "@miranda/contract/schemas/account/people.ts";
import type { Correction, GivenGrant, Grant } from "@miranda/contract/schemas/billing/grants.ts";

import { call } from "../http.ts";

/** The key is made once for a form, so that a grant that is sent twice counts once. */
export interface Given {
  amount: string;
  note: string;
  key: string;
}

const path = "/api/v3/admin/grants";

/** Gives credits to an account, or to a project. */
export const sendGrant = (to: { account: string } | { project_id: string }, given: Given): Promise<Grant> =>
  call<Grant>(path, { method: "POST", fields: { ...given, ...to } });

export const grantsKey = (id: string) => ["admin", "grants", id];

/** The newest grants that a person got. */
export function useGrantsOf(id: string) {
  return useQuery({
    queryKey: grantsKey(id),
    queryFn: ({ signal }) => call<GivenGrant[]>(`/api/v3/admin/people/${encodeURIComponent(id)}/grants`, { signal }),
    refetchOnMount: "always",
  });
}

interface Wrong {
  key: string;
  /** The key of the grant. */
  grant: string;
  amount: string;
  reason: string;
}

/** Takes back what a person was granted. */
export function useCorrection(personId: string) {
  const client = useQueryClient();
  return async (wrong: Wrong): Promise<Correction> => {
    const correction = await call<Correction>(`${path}/corrections`, { method: "POST", fields: { ...wrong } });
    const credits = toNumber(getCredits(correction.balance));
    // Nothing else of the person is loaded: the other forms keep the version that they show.
    client.setQueryData<Person>(["admin", "person", personId], (known) => known && { ...known, credits });
    await client.invalidateQueries({ queryKey: grantsKey(personId) });
    await client.invalidateQueries({ queryKey: ["admin", "people"] });
    return correction;
  };
}
