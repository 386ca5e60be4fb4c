import { type Query, type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import { createContext, use } from "react";

import { menu, search } from "../../limits.ts";
import { session as limits } from "@miranda/contract/limits.ts";
import type { Account, AuthRefusal, AuthResponse } from "@miranda/contract/schemas/auth.ts";
import type { SignedOut } from "@miranda/contract/schemas/account/providers.ts";
import { type AuthState, authState, readLastSession, writeLastSession } from "./session-cache.ts";

import { readStored, removeStored, writeStored } from "../../storage.ts";
import { call, HttpError } from "../http.ts";

type SessionAnswer = AuthResponse | AuthRefusal;

/** Loaded once per page load. Signing in, signing out and account changes put their own answers into the cache. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async (): Promise<SessionAnswer> => {
    const path = `/api/v3/auth/?_rid=${crypto.getRandomValues(new Uint32Array(2)).join("")}`;
    const answer = await call<SessionAnswer>(path, { answeredWith: 401 });
    keep(answer);
    return answer;
  },
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  refetchInterval: false,
  refetchOnMount: false,
  refetchOnReconnect: false,
  refetchOnWindowFocus: false,
});

export function isSessionQuery({ queryKey }: Pick<Query, "queryKey">): boolean {
  return queryKey[0] === sessionQuery.queryKey[0];
}

export interface Session {
  state: AuthState;
  account: Account | undefined;
  needsOnboarding: boolean;
  /** Nothing else works before a second factor is set up. */
  needsSecondFactor: boolean;
  /** Why the state is unknown, when loading the session failed. */
  error: Error | null;
  retry: () => void;
}

const lastSession = takeLastSession();

export function useSession(): Session {
  const { data: answer, error, refetch } = useQuery(sessionQuery);
  const state = authState(answer, lastSession);
  const known = answer && "account" in answer ? answer : undefined;
  const signedIn = state === "authenticated";
  return {
    state,
    account: signedIn ? (known?.account ?? lastSession) : undefined,
    needsOnboarding: signedIn && (known ?? lastSession)?.needs_onboarding === true,
    needsSecondFactor: signedIn && (known ?? lastSession)?.needs_second_factor === true,
    error: answer === undefined ? error : null,
    retry: () => void refetch(),
  };
}

/** The username of the person who is signed in, for code outside React. */
export function usernameOf(client: QueryClient): string | undefined {
  const answer = client.getQueryData(sessionQuery.queryKey);
  return (answer && "account" in answer ? answer.account : lastSession)?.username;
}

/**
 * The account as the whole page shows it now. A part that appears just when the session ends would find no account in
 * the cache, before the guard takes its screen away.
 */
export const ShownAccount = createContext<Account | undefined>(undefined);

/** For screens behind the guard, where a person is signed in. */
export function useAccount(): Account {
  const account = use(ShownAccount);
  if (!account) throw new Error("This screen is for people who are signed in.");
  return account;
}

/** Why the account has no execution token. */
export async function readTokenEnd(): Promise<Account["exec_token_ended"]> {
  const { account } = await call<AuthResponse>("/api/v3/auth/");
  return account.exec_token_ended;
}

/** Every call that changes the account answers with the new session. */
export function putSession(client: QueryClient, answer: AuthResponse): void {
  keep(answer);
  client.setQueryData(sessionQuery.queryKey, answer);
}

/** For calls that change the account without answering with it. */
export function patchAccount(client: QueryClient, change: Partial<Account>): void {
  const answer = client.getQueryData(sessionQuery.queryKey);
  if (answer && "account" in answer) putSession(client, { ...answer, account: { ...answer.account, ...change } });
}

export function endSession(client: QueryClient, detail: string): void {
  const refusal: SessionAnswer = { detail };
  keep(refusal);
  client.setQueryData<SessionAnswer>(sessionQuery.queryKey, refusal);
}

export async function logOut(): Promise<void> {
  let to = "/login";
  try {
    // People who signed in with a provider sign out there, too.
    to = (await call<SignedOut>("/api/v3/auth", { method: "DELETE" })).address ?? to;
  } catch (cause) {
    // Nobody was signed in any more, which is what logging out wants.
    if (!(cause instanceof HttpError && cause.status === 401)) throw cause;
  }
  leaveAccount(to);
}

/** Goes to a public page, or to a provider's, and forgets the account. */
export function leaveAccount(to: string): void {
  for (const key of [menu.navigationKey, limits.cacheKey, search.recentKey]) removeStored(key);
  // Load the whole page, so that nothing of this account stays in memory.
  location.assign(to);
}

function takeLastSession() {
  const kept = readLastSession(readStored(limits.cacheKey));
  if (!kept) removeStored(limits.cacheKey);
  return kept;
}

function keep(answer: SessionAnswer): void {
  if ("detail" in answer) removeStored(limits.cacheKey);
  else writeStored(limits.cacheKey, writeLastSession(answer));
}
