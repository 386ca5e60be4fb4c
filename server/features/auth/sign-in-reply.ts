import { secondFactor, session as sessionLimits } from "@miranda/contract/limits.ts";
import { AuthResponse } from "@miranda/contract/schemas/auth.ts";
import { SecondFactorNeeded } from "@miranda/contract/schemas/account/sign-in.ts";
import type { FastifyReply, FastifyRequest } from "fastify";

import { isSecure } from "../../platform/http/security.ts";
import type { SecondStep, SignedIn, SignInResult } from "./sign-in.ts";

/** What a route that signs people in answers: 202 when the second step is missing. */
export const signInAnswers = { 200: AuthResponse, 202: SecondFactorNeeded };

/** Answers sign-ins, and sets their cookies. */
export function createSignInReply(publicUrl: string | undefined) {
  const cookieOptions = (request: FastifyRequest) =>
    ({ path: "/", httpOnly: true, sameSite: "lax", secure: isSecure(request, publicUrl) }) as const;
  const ticketPath = "/api/v3/auth";

  function welcome(request: FastifyRequest, reply: FastifyReply, result: SignedIn): AuthResponse;
  function welcome(
    request: FastifyRequest,
    reply: FastifyReply,
    result: SignInResult,
  ): AuthResponse | SecondFactorNeeded;
  function welcome(request: FastifyRequest, reply: FastifyReply, result: SignInResult) {
    if ("ticket" in result) return askSecondStep(request, reply, result);
    void reply.setCookie(sessionLimits.cookie, result.sessionToken, {
      ...cookieOptions(request),
      maxAge: sessionLimits.lifetime / 1000,
    });
    endSecondStep(request, reply);
    return result.response;
  }

  function askSecondStep(request: FastifyRequest, reply: FastifyReply, step: SecondStep): SecondFactorNeeded {
    void reply.code(202).setCookie(secondFactor.ticketCookie, step.ticket, {
      ...cookieOptions(request),
      path: ticketPath,
      maxAge: secondFactor.ticketLifetime / 1000,
    });
    return { second_factor: step.methods };
  }

  function endSecondStep(request: FastifyRequest, reply: FastifyReply): void {
    if (!request.cookies[secondFactor.ticketCookie]) return;
    void reply.clearCookie(secondFactor.ticketCookie, { ...cookieOptions(request), path: ticketPath });
  }

  return { welcome, cookieOptions };
}
