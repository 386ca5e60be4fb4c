import { IdParams } from "@miranda/contract/schemas/forms.ts";
import {
  AddPasskeyBody,
  PasskeyResponseBody,
  PasskeyNameBody,
  PasskeyChallenge,
  ReauthBody,
  RecoveryCodes,
} from "@miranda/contract/schemas/account/sign-in.ts";
import type { FastifyRequest } from "fastify";
import { z } from "zod";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import { visitorOf } from "../../../platform/http/visitor.ts";
import { createSignInReply, signInAnswers } from "../sign-in-reply.ts";
import { relyingPartyOf } from "./relying-party.ts";
import type { Passkeys } from "./passkeys-service.ts";

const tags = ["session"];
const Nothing = z.object({});
const config = { sessionOnly: true, beforeSecondFactor: true };
const path = "/api/v3/auth/passkeys";

export function passkeyRoutes(app: Http, passkeys: Passkeys, publicUrl: string | undefined): void {
  const { welcome } = createSignInReply(publicUrl);
  const partyOf = (request: FastifyRequest) => relyingPartyOf(request, publicUrl);

  app.post(
    `${path}/sign_in/challenge`,
    { config: { public: true }, schema: { tags, response: { 200: PasskeyChallenge } } },
    (request) => passkeys.challengeToSignIn(partyOf(request), visitorOf(request)),
  );

  app.post(
    `${path}/sign_in`,
    { config: { public: true }, schema: { tags, body: PasskeyResponseBody, response: signInAnswers } },
    async (request, reply) =>
      welcome(request, reply, await passkeys.signIn(request.body, partyOf(request), visitorOf(request))),
  );

  app.post(
    `${path}/challenge`,
    { config, schema: { tags, body: ReauthBody, response: { 200: PasskeyChallenge } } },
    (request) =>
      passkeys.challengeToAdd(callerOf(request), request.body.password, partyOf(request), visitorOf(request)),
  );

  app.post(path, { config, schema: { tags, body: AddPasskeyBody, response: { 200: RecoveryCodes } } }, (request) =>
    passkeys.add(callerOf(request), request.body, partyOf(request)),
  );

  app.patch(
    `${path}/:id`,
    { config, schema: { tags, params: IdParams, body: PasskeyNameBody, response: { 200: Nothing } } },
    async (request) => {
      await passkeys.rename(callerOf(request), request.params.id, request.body.name);
      return {};
    },
  );

  app.delete(
    `${path}/:id`,
    { config, schema: { tags, params: IdParams, body: ReauthBody, response: { 200: Nothing } } },
    async (request) => {
      await passkeys.remove(callerOf(request), request.params.id, request.body.password, visitorOf(request));
      return {};
    },
  );

  // Before a sensitive act, instead of the password.
  app.post(
    "/api/v3/auth/reauth/challenge",
    { config, schema: { tags, response: { 200: PasskeyChallenge } } },
    (request) => passkeys.challengeForReauth(callerOf(request), partyOf(request)),
  );

  app.post(
    "/api/v3/auth/reauth",
    { config, schema: { tags, body: PasskeyResponseBody, response: { 200: Nothing } } },
    async (request) => {
      await passkeys.reauthenticate(callerOf(request), request.body, partyOf(request));
      return {};
    },
  );
}
