import { useQuery } from "@tanstack/react-query";

import type { AccountDeletion } from "@miranda/contract/schemas/account/account-deletion.ts";

import { call } from "../http.ts";
import { leaveAccount } from "./session.ts";

/** What deleting the account would remove, counted anew each time somebody asks. */
export function useAccountDeletion() {
  return useQuery({
    queryKey: ["account-deletion"],
    queryFn: ({ signal }) => call<AccountDeletion>("/api/v3/auth/account/deletion", { signal }),
    staleTime: 0,
    gcTime: 0,
  });
}

interface Confirmation {
  username: string;
  password: string;
  /** New owners by project. The other projects are deleted. */
  transfers: Readonly<Record<string, string>>;
}

export async function deleteAccount({ username, password, transfers }: Confirmation): Promise<void> {
  const projects = JSON.stringify({ transfer: transfers });
  await call("/api/v3/auth/account", { method: "DELETE", fields: { username, password, projects } });
  leaveAccount("/login?account=deleted");
}
