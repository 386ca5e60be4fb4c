import { secondFactor } from "@miranda/contract/limits.ts";
import { AuthResponse } from "@miranda/contract/schemas/auth.ts";
import { IdParams } from "@miranda/contract/schemas/forms.ts";
import {
  ConfirmAppBody,
  FactorsOfPerson,
  NewApp,
  PasskeyResponseBody,
  PasskeyChallenge,
  ReauthBody,
  RecoveryCodes,
  SecondFactors,
  SecondStepBody,
} from "@miranda/contract/schemas/account/sign-in.ts";
import type { FastifyRequest } from "fastify";
import { z } from "zod";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import { visitorOf } from "../../../platform/http/visitor.ts";
import { createSignInReply } from "../sign-in-reply.ts";
import { relyingPartyOf } from "./relying-party.ts";
import type { FactorRemoval } from "./factor-removal-service.ts";
import type { SecondFactorsFeature } from "./second-factor-service.ts";
import type { SecondSteps } from "./second-step-service.ts";

const tags = ["session"];
const Nothing = z.object({});
const config = { sessionOnly: true, beforeSecondFactor: true };

interface Services {
  factors: SecondFactorsFeature;
  steps: SecondSteps;
  removal: FactorRemoval;
  publicUrl: string | undefined;
}

export function secondFactorRoutes(app: Http, { factors, steps, removal, publicUrl }: Services): void {
  const { welcome } = createSignInReply(publicUrl);
  const ticketOf = (request: FastifyRequest) => request.cookies[secondFactor.ticketCookie];
  const partyOf = (request: FastifyRequest) => relyingPartyOf(request, publicUrl);
  const own = "/api/v3/auth/second_factor";
  const step = "/api/v3/auth/second_step";

  app.get(own, { config, schema: { tags, response: { 200: SecondFactors } } }, (request) =>
    factors.describe(callerOf(request)),
  );

  app.post(`${own}/app`, { config, schema: { tags, body: ReauthBody, response: { 200: NewApp } } }, (request) =>
    factors.beginApp(
      callerOf(request),
      request.body.password,
      visitorOf(request),
      new URL(partyOf(request).origin).host,
    ),
  );

  app.post(
    `${own}/app/confirm`,
    { config, schema: { tags, body: ConfirmAppBody, response: { 200: RecoveryCodes } } },
    (request) => factors.confirmApp(callerOf(request), request.body.code),
  );

  app.delete(
    `${own}/app`,
    { config, schema: { tags, body: ReauthBody, response: { 200: Nothing } } },
    async (request) => {
      await factors.removeApp(callerOf(request), request.body.password, visitorOf(request));
      return {};
    },
  );

  app.post(
    `${own}/recovery_codes`,
    { config, schema: { tags, body: ReauthBody, response: { 200: RecoveryCodes } } },
    (request) => factors.renewRecoveryCodes(callerOf(request), request.body.password, visitorOf(request)),
  );

  app.post(
    step,
    { config: { public: true }, schema: { tags, body: SecondStepBody, response: { 200: AuthResponse } } },
    async (request, reply) =>
      welcome(request, reply, await steps.withCode(ticketOf(request), request.body, visitorOf(request))),
  );

  app.post(
    `${step}/passkey/challenge`,
    { config: { public: true }, schema: { tags, response: { 200: PasskeyChallenge } } },
    (request) => steps.challengePasskey(ticketOf(request), partyOf(request)),
  );

  app.post(
    `${step}/passkey`,
    { config: { public: true }, schema: { tags, body: PasskeyResponseBody, response: { 200: AuthResponse } } },
    async (request, reply) => {
      const { body } = request;
      const signedIn = await steps.withPasskey(ticketOf(request), body, partyOf(request), visitorOf(request));
      return welcome(request, reply, signedIn);
    },
  );

  app.get(
    "/api/v3/admin/people/:id/second_factor",
    {
      config: { adminOnly: true },
      schema: { tags: ["administration"], params: IdParams, response: { 200: FactorsOfPerson } },
    },
    (request) => removal.describeOf(request.params.id),
  );

  app.delete(
    "/api/v3/admin/people/:id/second_factor",
    {
      config: { adminOnly: true, sessionOnly: true },
      schema: { tags: ["administration"], params: IdParams, response: { 200: Nothing } },
    },
    async (request) => {
      await removal.removeOf(callerOf(request), request.params.id);
      return {};
    },
  );
}
