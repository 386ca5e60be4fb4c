import { createHash } from "node:crypto";

import type { Allowance } from "../../platform/limits/rate-limits.ts";

/**
 * Wrong passwords are counted three ways: one address against one account, many addresses against one account, one
 * address against many accounts. The first is the tightest, so that a stranger cannot quickly lock a person out. `who`
 * is an account's id, so that its username and e-mail share a counter, or the hash of an unknown name.
 */
export function passwordAllowances(what: string, who: readonly string[], address: string) {
  return {
    here: { key: [what, "here", ...who, address], most: 10, windowMinutes: 15 },
    everywhere: { key: [what, "everywhere", ...who], most: 50, windowMinutes: 15 },
    shared: { key: [what, "address", address], most: 100, windowMinutes: 15 },
  } satisfies Record<string, Allowance>;
}

/** A name may have any length. Its hash is a short key that reveals nothing to a reader of the table. */
export function nameHash(login: string): string {
  return createHash("sha256").update(login.normalize("NFKC").trim().toLowerCase()).digest("hex");
}
