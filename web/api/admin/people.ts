import { useQuery, useQueryClient } from "@tanstack/react-query";

import { getCredits, toNumber } from "@miranda/contract/billing/credits.ts";
import type { NewPerson, PasswordLink, Person } from "@miranda/contract/schemas/account/people.ts";
import type { FactorsOfPerson } from "@miranda/contract/schemas/account/sign-in.ts";

import { call } from "../http.ts";
import { usePages } from "../pages.ts";
import { type Given, grantsKey, sendGrant } from "./grants.ts";

const listKey = ["admin", "people"];
const path = "/api/v3/admin/people";
const keyOf = (id: string) => ["admin", "person", id];
const pathOf = (id: string, part = "") => `${path}/${encodeURIComponent(id)}${part}`;

export type PeopleKind = "all" | "admins" | "disabled";

export function usePeople(query: string, kind: PeopleKind) {
  return usePages<Person>({ key: [...listKey, query, kind], path, parameters: { query, kind }, isLive: false });
}

/** Not refreshed by itself: a change is refused when somebody else changed the account since it was shown. */
export function usePerson(id: string) {
  return useQuery({
    queryKey: keyOf(id),
    queryFn: ({ signal }) => call<Person>(pathOf(id), { signal }),
    refetchInterval: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    refetchOnMount: "always",
    gcTime: 0,
  });
}

/** Which second factors somebody has. */
export function useFactorsOf(id: string) {
  return useQuery({
    queryKey: [...keyOf(id), "second factors"],
    queryFn: ({ signal }) => call<FactorsOfPerson>(pathOf(id, "/second_factor"), { signal }),
  });
}

interface NewPersonFields {
  username: string;
  email: string;
  first_name: string;
  last_name: string;
  is_admin: boolean;
}

export interface PersonChange {
  is_admin?: boolean;
  disabled?: boolean;
  stop_sessions?: boolean;
  subscribed?: boolean;
  trial_until?: string;
  quotas?: Record<string, string>;
}

export function usePeopleCalls() {
  const client = useQueryClient();
  const refreshList = () => client.invalidateQueries({ queryKey: listKey });
  return {
    async create(fields: NewPersonFields): Promise<NewPerson> {
      const created = await call<NewPerson>(path, { method: "POST", body: { json: fields } });
      void refreshList();
      return created;
    },
    async change({ id, version }: Pick<Person, "id" | "version">, change: PersonChange): Promise<void> {
      const person = await call<Person>(pathOf(id), { method: "PATCH", body: { json: { ...change, version } } });
      client.setQueryData(keyOf(id), person);
      await refreshList();
    },
    makeLink: (id: string) => call<PasswordLink>(pathOf(id, "/password-link"), { method: "POST" }),
    /** For somebody who has lost phone, passkeys and recovery codes. */
    removeSecondFactors: (id: string) => call(pathOf(id, "/second_factor"), { method: "DELETE" }),
    signOut: (id: string) => call<{ browsers: number }>(pathOf(id, "/sign-out"), { method: "POST" }),
    /**
     * Nothing else of the person is loaded: with its new version, the other forms would overwrite what somebody else
     * changed meanwhile.
     */
    async grant({ id, username }: Person, given: Given): Promise<void> {
      const { balance } = await sendGrant({ account: username }, given);
      const credits = toNumber(getCredits(balance));
      client.setQueryData<Person>(keyOf(id), (known) => known && { ...known, credits });
      await client.invalidateQueries({ queryKey: grantsKey(id) });
      await refreshList();
    },
  };
}
