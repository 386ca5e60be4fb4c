import { type QueryClient, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";

import { paging } from "@miranda/contract/limits.ts";
import type {
  AccessToken,
  AccessTokenBody,
  AccessTokenResponse,
  AccountPatch,
  AuthResponse,
  LoginBody,
  OnboardingBody,
  PasswordBody,
  RegisterBody,
} from "@miranda/contract/schemas/auth.ts";

import type { SecondFactorMethod, SignInAnswer } from "@miranda/contract/schemas/account/sign-in.ts";

import { logWarning } from "../../log.ts";
import { call } from "../http.ts";
import { projectKeys } from "../projects.ts";
import { openSample } from "../samples.ts";
import { patchAccount, putSession } from "./session.ts";

const tokensQuery = queryOptions({
  queryKey: ["access-tokens"],
  queryFn: () => call<AccessToken[]>(`/api/v3/auth/access_tokens?limit=${paging.pageMax}`),
});

/** Calls whose answer replaces the session. */
const pending = new Set<Promise<void>>();

/** Calls that answer with the session. Each puts the new session into the cache. */
export function useAccountCalls() {
  const client = useQueryClient();
  function then(answer: Promise<AuthResponse>): Promise<void> {
    const done = answer.then((session) => putSession(client, session)).finally(() => pending.delete(done));
    pending.add(done);
    return done;
  }
  return {
    /** The second factors to choose from, when the account has any. */
    async logIn(fields: LoginBody): Promise<SecondFactorMethod[] | undefined> {
      const answer = await call<SignInAnswer>("/api/v3/auth", { method: "POST", fields });
      if ("second_factor" in answer) return answer.second_factor;
      putSession(client, answer);
      return undefined;
    },
    async register(fields: RegisterBody) {
      await then(call("/api/v3/auth/register", { method: "POST", fields }));
      // Not awaited: an account works without its sample, and the home screen offers to make it.
      void makeFirstSample(client);
    },
    finishOnboarding: (fields: OnboardingBody) => then(call("/api/v3/auth/onboarding", { method: "POST", fields })),
    changeAccount: (fields: AccountPatch) => then(call("/api/v3/auth/account", { method: "PATCH", fields })),
    async changePassword(fields: PasswordBody) {
      await then(call("/api/v3/auth/password", { method: "POST", fields }));
      // Changing the password ended the old tokens.
      await client.invalidateQueries({ queryKey: tokensQuery.queryKey });
    },
    changeAvatar: (avatar: File) => then(call("/api/v3/auth/avatar", { method: "PUT", fields: { avatar } })),
    removeAvatar: () => then(call("/api/v3/auth/avatar", { method: "DELETE" })),
  };
}

/** People who register in a browser get a sample workflow. Accounts that programs make stay empty. */
async function makeFirstSample(client: QueryClient): Promise<void> {
  try {
    const { project_id, graph_id } = await openSample("waste-water");
    // An answer that was made before the sample knows nothing of it, and would replace the account.
    await Promise.allSettled(pending);
    patchAccount(client, { sample: { project_id, graph_id } });
    await client.invalidateQueries({ queryKey: projectKeys.lists });
  } catch (cause) {
    logWarning("The sample could not be made.", cause);
  }
}

export function useAccessTokens() {
  return useQuery(tokensQuery);
}

export function useAccessTokenCalls() {
  const client = useQueryClient();

  async function refresh() {
    const tokens = await client.fetchQuery(tokensQuery);
    patchAccount(client, { has_exec_token: tokens.length > 0 });
  }

  return {
    async create(fields: AccessTokenBody): Promise<string> {
      const { token } = await call<AccessTokenResponse>("/api/v3/auth/access_tokens", { method: "POST", fields });
      // Not awaited: the token is shown only once, and must not get lost because the list failed to load.
      void refresh().catch(() => undefined);
      return token;
    },
    async revoke(id: string): Promise<void> {
      await call(`/api/v3/auth/access_tokens/${id}`, { method: "DELETE" });
      await refresh();
    },
  };
}
