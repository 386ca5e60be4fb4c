import type { FastifyInstance, FastifyRequest } from "fastify";

import { AppError } from "../errors/app-error.ts";
import { createCallRate } from "../limits/call-rates.ts";
import type { Quotas } from "../limits/quota-settings.ts";
import { networkOf } from "./network-of.ts";

/** Who makes a request, and how they are authenticated. */
export interface Caller {
  accountId: string;
  username: string;
  isAdmin: boolean;
  via: "session" | "token";
  /** The hash of the sign-in session or token in the database. */
  credential: Buffer;
  /** Set for a token that can use one deployment and do nothing else. */
  deploymentToken?: { id: string; deploymentId: string };
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
    /** For programs: only a token is accepted, no cookie. Also outside of /api/v3. */
    bearerOnly?: boolean;
    /** Also answers tokens of a deployment. Every other route refuses them. */
    deploymentTokens?: boolean;
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
  app.decorateRequest("caller");
  app.addHook("onRequest", async (request) => {
    // By the route, not by the address: many spellings (/%61pi/v3/…) lead to the same route.
    const { config, url } = request.routeOptions;
    if (!(url ?? request.url).startsWith("/api/v3/") && !config.bearerOnly) return;
    const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
    const cookie = config.bearerOnly ? undefined : request.cookies[cookieName];
    request.caller = await authenticate({ session: cookie, bearer });
    const wait = takeCall(request);
    if (wait > 0) throw tooManyCalls(wait);
    if (request.caller?.deploymentToken && !config.deploymentTokens) throw new AppError("token_scope");
    if (request.caller?.job && !config.jobTokens) throw new AppError("token_scope");
    if (!request.caller && !config.public) throw new AppError("not_signed_in");
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
