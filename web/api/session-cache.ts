import { session } from "@miranda/contract/limits.ts";
import type { Account } from "@miranda/contract/schemas/auth.ts";

/** The last session as the browser keeps it: the account and when it was last known to be signed in. */
export interface LastSession extends Account {
  needs_onboarding: boolean;
  login_time: number;
}

export function writeLastSession(account: Account, needsOnboarding: boolean, now: number = Date.now()): string {
  return JSON.stringify({ ...account, needs_onboarding: needsOnboarding, login_time: now } satisfies LastSession);
}

/** The kept session while it is fresh. Undefined means: discard what is stored. */
export function readLastSession(stored: string | null, now: number = Date.now()): LastSession | undefined {
  if (stored === null) return undefined;
  try {
    const kept = JSON.parse(stored) as { username?: unknown; login_time?: unknown } | null;
    if (typeof kept?.username !== "string" || kept.username === "") return undefined;
    if (typeof kept.login_time !== "number") return undefined;
    const age = now - kept.login_time;
    // A login in the future means the clock was set back: such a session would stay fresh for as long.
    return age >= 0 && age <= session.cacheMaxAge ? (kept as LastSession) : undefined;
  } catch {
    return undefined;
  }
}

export type AuthState = "unknown" | "authenticated" | "unauthenticated";

/** The answer of GET /api/v3/auth/, whichever it is. */
export interface AuthAnswer {
  username?: string;
  needs_onboarding?: boolean;
  detail?: string;
}

/** A detail in the answer outweighs everything; a fresh session stands in for an answer that has not come yet. */
export function authState(answer: AuthAnswer | undefined, cached: LastSession | undefined): AuthState {
  if (answer?.detail !== undefined) return "unauthenticated";
  if (answer?.username || cached) return "authenticated";
  return answer ? "unauthenticated" : "unknown";
}

export type Access = { show: "spinner" } | { show: "page" } | { redirect: string };

export interface Visit {
  state: AuthState;
  needsOnboarding: boolean;
  path: string;
  /** The original full address, to come back to. */
  address: string;
}

/** Whether a page may be shown, and where to go when not. */
export function accessTo({ state, needsOnboarding, path, address }: Visit): Access {
  if (state === "unknown") return { show: "spinner" };
  if (state === "unauthenticated")
    return isPublic(path) ? { show: "page" } : { redirect: `/login?next=${encodeURIComponent(address)}` };
  return needsOnboarding && !path.startsWith("/onboarding") ? { redirect: "/onboarding" } : { show: "page" };
}

function isPublic(path: string): boolean {
  return /^\/(?:login|register)\/?$/.test(path);
}
