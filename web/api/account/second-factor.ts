import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";

import type {
  NewApp,
  RecoveryCodes,
  SecondFactors,
  SecondFactorMethod,
  SignInAnswer,
} from "@miranda/contract/schemas/account/sign-in.ts";
import type { AuthResponse } from "@miranda/contract/schemas/auth.ts";

import { call } from "../http.ts";
import { respondWithPasskey, makePasskey, type PasskeyCall } from "./passkeys.ts";
import { patchAccount, putSession, sessionQuery } from "./session.ts";

const own = "/api/v3/auth/second_factor";
const factorsQuery = queryOptions({
  queryKey: ["second-factor"],
  queryFn: ({ signal }) => call<SecondFactors>(own, { signal }),
});

export function useSecondFactors() {
  return useQuery(factorsQuery);
}

/** What the owner of an account changes about its second factors. */
export function useSecondFactorCalls() {
  const client = useQueryClient();
  async function refresh() {
    const { passkeys } = await client.fetchQuery(factorsQuery);
    patchAccount(client, { has_passkey: passkeys.length > 0 });
  }
  const then = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    const kept = await answer;
    // Not awaited: recovery codes are shown once, and must not get lost because the list failed to load.
    void refresh().catch(() => undefined);
    return kept;
  };
  return {
    beginApp: (password: string) => call<NewApp>(`${own}/app`, { method: "POST", fields: { password } }),
    confirmApp: (code: string) => then(call<RecoveryCodes>(`${own}/app/confirm`, { method: "POST", fields: { code } })),
    removeApp: (password: string) => then(call(`${own}/app`, { method: "DELETE", fields: { password } })),
    renewRecoveryCodes: (password: string) =>
      then(call<RecoveryCodes>(`${own}/recovery_codes`, { method: "POST", fields: { password } })),
    addPasskey: (name: string, password: string) => then(makePasskey(name, password)),
    renamePasskey: (id: string, name: string) =>
      then(call(`/api/v3/auth/passkeys/${id}`, { method: "PATCH", fields: { name } })),
    removePasskey: (id: string, password: string) =>
      then(call(`/api/v3/auth/passkeys/${id}`, { method: "DELETE", fields: { password } })),
    /** After the set-up that an administrator asks for. */
    reloadSession: () => client.refetchQueries({ queryKey: sessionQuery.queryKey }),
  };
}

/** Sign-ins that end here. Each puts the session into the cache. */
export function useSignIns() {
  const client = useQueryClient();
  const step = "/api/v3/auth/second_step";
  const then = async (answer: Promise<AuthResponse>) => putSession(client, await answer);
  return {
    withCode: (code: string) => then(call(step, { method: "POST", fields: { code } })),
    withRecoveryCode: (recovery_code: string) => then(call(step, { method: "POST", fields: { recovery_code } })),
    secondStepWithPasskey: () => then(respondWithPasskey<AuthResponse>(`${step}/passkey`)),
    /** The second factors to choose from, when the account has any. */
    async withPasskey(options?: PasskeyCall): Promise<SecondFactorMethod[] | undefined> {
      const answer = await respondWithPasskey<SignInAnswer>("/api/v3/auth/passkeys/sign_in", options);
      if ("second_factor" in answer) return answer.second_factor;
      putSession(client, answer);
      return undefined;
    },
  };
}
