import * as oidc from "openid-client";

import { AppError } from "../../../platform/errors/app-error.ts";
import type { ProviderSettings } from "../../../platform/settings/provider-settings.ts";
import { toPerson, type ProviderPerson } from "./provider-person.ts";

/** What has to come back from the provider unchanged. */
export interface Checks {
  state: string;
  nonce: string;
  verifier: string;
  /** The person has to sign in anew, however lately they did. */
  fresh: boolean;
}

export interface ProviderAnswer {
  person: ProviderPerson;
  idToken: string;
}

export type ProviderClient = ReturnType<typeof createProviderClient>;

const timeoutSeconds = 10;
const discoveredFor = 3_600_000;
const freshSeconds = 120;

/** Talks to one provider. It is asked for its addresses when somebody first needs it, so the server starts without it. */
export function createProviderClient(
  settings: ProviderSettings,
  baseUrl: string,
  warn: (words: string, provider: string) => void,
) {
  const redirectUri = `${baseUrl}/api/v3/auth/providers/${settings.id}/callback`;
  let discovered: { config: oidc.Configuration; at: number } | undefined;

  async function configuration(): Promise<oidc.Configuration> {
    if (discovered && Date.now() - discovered.at < discoveredFor) return discovered.config;
    const { issuer, clientId } = settings;
    // Only a provider on this machine may be at http:, so nobody is on the way.
    const execute = issuer.startsWith("http:") ? [oidc.allowInsecureRequests] : [];
    try {
      const options = { execute, timeout: timeoutSeconds };
      const config = await oidc.discovery(new URL(issuer), clientId, undefined, authOf(settings), options);
      discovered = { config, at: Date.now() };
      return config;
    } catch (error) {
      warn(reasonOf(error), settings.id);
      // The addresses of a provider hardly change. Old ones are better than none.
      if (discovered) return discovered.config;
      throw new AppError("provider_away");
    }
  }

  /** Every failure of a provider becomes words for people. The log has the reason. */
  async function translated<Value>(work: Promise<Value>): Promise<Value> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof AppError) throw error;
      warn(reasonOf(error), settings.id);
      throw new AppError(codeOf(error));
    }
  }

  async function exchange(query: URLSearchParams, { state, nonce, verifier, fresh }: Checks): Promise<ProviderAnswer> {
    const config = await configuration();
    const address = new URL(redirectUri);
    address.search = query.toString();
    const tokens = await oidc.authorizationCodeGrant(config, address, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
      ...(fresh && { maxAge: freshSeconds }),
    });
    const claims = tokens.claims();
    if (!claims) throw new AppError("provider_answer");
    const more = config.serverMetadata().userinfo_endpoint
      ? await oidc.fetchUserInfo(config, tokens.access_token, claims.sub)
      : {};
    return { person: toPerson({ ...more, ...claims }, settings), idToken: tokens.id_token ?? "" };
  }

  return {
    settings,

    async signInAddress({ state, nonce, verifier, fresh }: Checks): Promise<string> {
      const config = await configuration();
      return oidc.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: settings.scopes.join(" "),
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        ...(fresh && { prompt: "login", max_age: String(freshSeconds) }),
      }).href;
    },

    /** Turns the query of the callback into the person. */
    exchange: (query: URLSearchParams, checks: Checks) => translated(exchange(query, checks)),

    /** Whether the provider refuses our id or secret. If it knows us, it refuses only the code, which it never gave. */
    async isRefused(): Promise<boolean> {
      const config = await configuration();
      const address = new URL(redirectUri);
      address.search = new URLSearchParams({ code: "none", state: "none", iss: settings.issuer }).toString();
      const checks = { expectedState: "none", pkceCodeVerifier: oidc.randomPKCECodeVerifier() };
      try {
        await oidc.authorizationCodeGrant(config, address, checks);
        return false;
      } catch (error) {
        if (error instanceof oidc.ResponseBodyError) return error.error === "invalid_client";
        return error instanceof oidc.WWWAuthenticateChallengeError;
      }
    },

    /** Where the person signs out of the provider. Undefined when it offers no such page, or does not answer. */
    async signOutAddress(idToken: string, returnTo: string): Promise<string | undefined> {
      if (!settings.signOut) return undefined;
      const config = await configuration().catch(() => undefined);
      if (!config?.serverMetadata().end_session_endpoint) return undefined;
      const hint = idToken === "" ? {} : { id_token_hint: idToken };
      return oidc.buildEndSessionUrl(config, { post_logout_redirect_uri: returnTo, ...hint }).href;
    },
  };
}

function authOf({ clientSecret, clientAuth }: ProviderSettings): oidc.ClientAuth {
  if (clientSecret === undefined) return oidc.None();
  const [basic, post] = [oidc.ClientSecretBasic(clientSecret), oidc.ClientSecretPost(clientSecret)];
  return (server, client, body, headers) => {
    const supported = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const isBasic = clientAuth ? clientAuth === "basic" : supported.includes("client_secret_basic");
    (isBasic ? basic : post)(server, client, body, headers);
  };
}

function codeOf(error: unknown): "provider_denied" | "provider_code" | "provider_answer" | "provider_away" {
  if (error instanceof oidc.AuthorizationResponseError)
    return error.error === "access_denied" ? "provider_denied" : "provider_answer";
  if (error instanceof oidc.ResponseBodyError)
    return error.error === "invalid_grant" ? "provider_code" : "provider_away";
  if (error instanceof oidc.ClientError) {
    const reason = error.cause instanceof Error ? error.cause : error;
    return /timeout|network|fetch|not conform|status/i.test(`${error.code} ${reason.name} ${reason.message}`)
      ? "provider_away"
      : "provider_answer";
  }
  return "provider_away";
}

/** For the log. The causes of these errors have tokens and claims, so they are left out. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const code = "code" in error ? String(error.code) : "";
  const refusal = "error" in error ? String(error.error) : "";
  return [error.name, code, refusal, error.message].filter(Boolean).join(" ").slice(0, 300);
}
