import type { FastifyInstance, FastifyRequest } from "fastify";

import { AppError } from "../errors/app-error.ts";
import { createCallRate } from "../limits/call-rates.ts";
import { createRecentCredentials } from "../limits/recent-credentials.ts";
import type { Quotas } from "../limits/quota-settings.ts";
import { networkOf } from "./network-of.ts";
import { type CallersToken, checkTokenScope, type TokenNeed } from "../tokens/token-scopes.ts";
import { type Visitor, visitorOf } from "./visitor.ts";

/** Who makes a request, and how they are authenticated. */
export interface Caller {
  accountId: string;
  username: string;
  isAdmin: boolean;
  via: "session" | "token";
  /** The hash of the sign-in session or token in the database. */
  credential: Buffer;
  /** Where the request comes from. Unknown for tasks that a person started earlier. */
  visitor?: Visitor;
  /** Has to set up a second factor before anything else. */
  needsSecondFactor?: boolean;
  /** Set for a token that can use one deployment and do nothing else. */
  deploymentToken?: { id: string; deploymentId: string };
  /** Set for an access token. Those with a scope have no administrator's rights. */
  token?: CallersToken;
  /** The only project that an access token can use. Null: no such limit. */
  onlyProject: string | null;
  /** The only deployment that an access token can use. */
  onlyDeployment?: string;
  /** Set for node code: it can use its own project's tracking server and do nothing else. */
  job?: JobOfCaller;
}

export interface JobOfCaller {
  id: string;
  projectId: string;
  graphId: string | null;
  /** The run that the session carries out now, and its number in the session. Null between two runs. */
  runId: string | null;
  run: number;
}

const trainingCallsPerMinute = 60_000;

export interface Credentials {
  session: string | undefined;
  bearer: string | undefined;
}

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller | undefined;
  }
  interface FastifyContextConfig {
    /** Answers everybody. Without it a route under /api/v3 refuses callers who are not signed in. */
    public?: boolean;
    /** Refuses access tokens: only a signed-in browser may do this. */
    sessionOnly?: boolean;
    /** Refuses everybody who is not an administrator. */
    adminOnly?: boolean;
    /** Also answers people who have to set up a second factor first. */
    beforeSecondFactor?: boolean;
    /** For programs: only a token is accepted, no cookie. Also outside of /api/v3. */
    bearerOnly?: boolean;
    /** Also answers tokens of a deployment. Every other route refuses them. */
    deploymentTokens?: boolean;
    /** What it asks of an access token with a scope, where that is not what its method says. */
    tokenNeeds?: TokenNeed;
    /** Also answers node code. Every other route refuses it. */
    jobTokens?: boolean;
  }
}

export function installCallers(
  app: FastifyInstance,
  cookieName: string,
  authenticate: (credentials: Credentials) => Promise<Caller | undefined>,
  quotas: Pick<Quotas, "callsPerMinute" | "anonymousCallsPerMinute">,
): void {
  const ofAccounts = createCallRate(quotas.callsPerMinute);
  // As many as a program makes that logs each step of its training by a call of its own.
  const ofTraining = createCallRate(quotas.callsPerMinute === 0 ? 0 : trainingCallsPerMinute);
  const ofAddresses = createCallRate(quotas.anonymousCallsPerMinute);
  function takeCall({ caller, ip, routeOptions }: FastifyRequest): number {
    if (caller && routeOptions.config.jobTokens) return ofTraining.take(caller.job?.id ?? caller.accountId);
    return caller ? ofAccounts.take(caller.accountId) : ofAddresses.take(networkOf(ip));
  }
  const recent = createRecentCredentials();
  /** Looks up who calls. A network that sends too many wrong tokens waits: each costs a way to the database. */
  async function findCaller(given: Credentials, network: string): Promise<Caller | undefined> {
    const credential = given.bearer ?? given.session ?? "";
    if (credential === "") return undefined;
    const key = recent.keyOf(credential);
    const wait = recent.has(key) ? 0 : ofAddresses.wait(network);
    if (wait > 0) throw tooManyCalls(wait);
    const caller = await authenticate(given);
    recent.note(key, caller !== undefined);
    return caller;
  }
  app.decorateRequest("caller");
  app.addHook("onRequest", async (request) => {
    // By the route, not by the address: many spellings (/%61pi/v3/…) lead to the same route.
    const { config, url } = request.routeOptions;
    if (!(url ?? request.url).startsWith("/api/v3/") && !config.bearerOnly) return;
    const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
    const cookie = config.bearerOnly ? undefined : request.cookies[cookieName];
    const caller = await findCaller({ session: cookie, bearer }, networkOf(request.ip));
    request.caller = caller && { ...caller, visitor: visitorOf(request) };
    const wait = takeCall(request);
    if (wait > 0) throw tooManyCalls(wait);
    const { deploymentToken, onlyDeployment, token } = request.caller ?? {};
    if ((deploymentToken ?? onlyDeployment) && !config.deploymentTokens) throw new AppError("token_scope");
    if (token) {
      const route = { method: request.method, url: url ?? request.url, tokenNeeds: config.tokenNeeds };
      checkTokenScope(route, token, request.caller?.onlyProject ?? null);
    }
    if (request.caller?.job && !config.jobTokens) throw new AppError("token_scope");
    if (!request.caller && !config.public) throw new AppError("not_signed_in");
    if (request.caller?.needsSecondFactor && !config.beforeSecondFactor) {
      if (!config.public) throw new AppError("second_factor_needed");
      request.caller = undefined;
    }
    if (config.adminOnly && !request.caller?.isAdmin) throw new AppError("not_admin");
    if (config.sessionOnly && request.caller?.via === "token") throw new AppError("session_only");
  });
}

function tooManyCalls(seconds: number): AppError {
  const words = `That is too many calls. Try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`;
  return new AppError("too_many_calls", words, seconds);
}

export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new AppError("not_signed_in");
  return request.caller;
}
