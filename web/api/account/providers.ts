import { useQuery, useQueryClient } from "@tanstack/react-query";

import type { Identity, ProviderAddress, ProviderPurpose } from "@miranda/contract/schemas/account/providers.ts";

import { call } from "../http.ts";

interface ProviderRequest {
  purpose: ProviderPurpose;
  /** The path to return to. */
  next?: string;
  /** To connect an account that has one. */
  password?: string;
  /** The token of an invitation. */
  invitation?: string;
}

/** Leaves for the provider's sign-in page. */
export async function goToProvider(
  id: string,
  { purpose, next = "", password = "", invitation = "" }: ProviderRequest,
) {
  const fields = { purpose, next, password, invitation };
  const { address } = await call<ProviderAddress>(`/api/v3/auth/providers/${id}`, { method: "POST", fields });
  location.assign(address);
  // The page is on its way out, so whoever waits for this stays busy. It is shown again when the person goes back.
  await new Promise((resolve) => addEventListener("pageshow", resolve, { once: true }));
}

const identitiesKey = ["identities"];

/** The providers that the account is connected with. */
export function useIdentities() {
  return useQuery({
    queryKey: identitiesKey,
    queryFn: ({ signal }) => call<Identity[]>("/api/v3/auth/identities", { signal }),
  });
}

export function useDisconnect() {
  const client = useQueryClient();
  return async (provider: string): Promise<void> => {
    await call(`/api/v3/auth/identities/${provider}`, { method: "DELETE" });
    await client.invalidateQueries({ queryKey: identitiesKey });
  };
}
