import { session } from "@miranda/contract/limits.ts";
import type { Account, AuthResponse } from "@miranda/contract/schemas/auth.ts";

import { isRecord } from "../../is-record.ts";

/** The last session as the browser stores it: the account and when it was last known to be signed in. */
export interface LastSession extends Account {
  needs_onboarding: boolean;
  needs_second_factor: boolean;
  login_time: number;
}

export function writeLastSession(
  { account, needs_onboarding, needs_second_factor }: Omit<AuthResponse, "username">,
  now: number = Date.now(),
): string {
  const kept: LastSession = { ...account, needs_onboarding, needs_second_factor, login_time: now };
  return JSON.stringify(kept);
}

/** The stored session while it is fresh; undefined when it must be discarded. */
export function readLastSession(stored: string | null, now: number = Date.now()): LastSession | undefined {
  if (stored === null) return undefined;
  try {
    const kept: unknown = JSON.parse(stored);
    if (!isLastSession(kept)) return undefined;
    const age = now - kept.login_time;
    // A login time in the future means that the clock was set back: such a session would stay fresh too long.
    return age >= 0 && age <= session.cacheMaxAge ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Only the fields that decide are checked: the rest is what `writeLastSession` stored less than a minute ago. */
function isLastSession(kept: unknown): kept is LastSession {
  if (!isRecord(kept)) return false;
  return typeof kept.username === "string" && kept.username !== "" && typeof kept.login_time === "number";
}

export type AuthState = "unknown" | "authenticated" | "unauthenticated";

/** Both answers of GET /api/v3/auth/, signed in or not. */
export interface AuthAnswer {
  username?: string;
  needs_onboarding?: boolean;
  detail?: string;
}

/** A `detail` in the answer means signed out. A fresh cached session counts until the answer is here. */
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
  /** The original full address, to return to. */
  address: string;
}

/** Whether a page may be shown, and where to redirect if not. */
export function accessTo({ state, needsOnboarding, path, address }: Visit): Access {
  if (state === "unknown") return { show: "spinner" };
  if (state === "unauthenticated")
    return isPublic(path) ? { show: "page" } : { redirect: `/login?next=${encodeURIComponent(address)}` };
  return needsOnboarding && !path.startsWith("/onboarding") && !isOpen(path)
    ? { redirect: "/onboarding" }
    : { show: "page" };
}

function isPublic(path: string): boolean {
  return /^\/(?:login(?:\/forgot)?|register)\/?$/.test(path) || isOpen(path);
}

/**
 * Pages that need no account: the handbook, an invitation, a link to set a password or to confirm an e-mail address, and of
 * the Explorer a link, a shared result, an embedded app.
 */
export function isOpen(path: string): boolean {
  return (
    /^\/(?:explorer\/(?:links|results)|embed|password|confirm|invitation)\/./.test(path) || /^\/docs(?:\/|$)/.test(path)
  );
}
