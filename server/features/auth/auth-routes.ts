import { avatar as avatarLimits, session as sessionLimits } from "@miranda/contract/limits.ts";
import {
  AccountPatch,
  AuthRefusal,
  AuthResponse,
  LoginBody,
  OnboardingBody,
  PasswordBody,
  RegisterBody,
} from "@miranda/contract/schemas/auth.ts";
import { Id } from "@miranda/contract/schemas/forms.ts";
import { SignedOut } from "@miranda/contract/schemas/account/providers.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";

import { AppError } from "../../platform/errors/app-error.ts";
import { findFile } from "../../platform/http/bodies.ts";
import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import { visitorOf } from "../../platform/http/visitor.ts";
import type { Auth } from "./auth-service.ts";
import { createSignInReply, signInAnswers } from "./sign-in-reply.ts";

const tags = ["session"];

type SignOutAddress = (request: FastifyRequest, reply: FastifyReply) => Promise<string | undefined>;

export function authRoutes(
  app: Http,
  auth: Auth,
  publicUrl: string | undefined,
  /** Where somebody signs out of a provider, too. */
  signOutAddress: SignOutAddress,
): void {
  const { welcome, cookieOptions } = createSignInReply(publicUrl);

  app.get(
    "/api/v3/auth",
    {
      config: { public: true, beforeSecondFactor: true },
      schema: { tags, response: { 200: AuthResponse, 401: AuthRefusal } },
    },
    async (request, reply) => {
      if (request.caller)
        return auth.describe(request.caller.accountId, { hasTwoFactors: !request.caller.needsSecondFactor });
      if (request.cookies[sessionLimits.cookie]) void reply.clearCookie(sessionLimits.cookie, cookieOptions(request));
      return reply.code(401).send({ detail: "You are not signed in." });
    },
  );

  app.post(
    "/api/v3/auth/register",
    { config: { public: true }, schema: { tags, body: RegisterBody, response: { 200: AuthResponse } } },
    async (request, reply) => welcome(request, reply, await auth.register(request.body, visitorOf(request))),
  );

  app.post(
    "/api/v3/auth",
    { config: { public: true }, schema: { tags, body: LoginBody, response: signInAnswers } },
    async (request, reply) => welcome(request, reply, await auth.login(request.body, visitorOf(request))),
  );

  app.delete(
    "/api/v3/auth",
    { config: { public: true, beforeSecondFactor: true }, schema: { tags, response: { 200: SignedOut } } },
    async (request, reply) => {
      const address = await signOutAddress(request, reply);
      await auth.logout(request.caller);
      void reply.clearCookie(sessionLimits.cookie, cookieOptions(request));
      return address === undefined ? {} : { address };
    },
  );

  app.post(
    "/api/v3/auth/onboarding",
    { schema: { tags, body: OnboardingBody, response: { 200: AuthResponse } } },
    (request) => auth.onboard(callerOf(request), request.body),
  );

  app.patch(
    "/api/v3/auth/account",
    { config: { sessionOnly: true }, schema: { tags, body: AccountPatch, response: { 200: AuthResponse } } },
    (request) => auth.patchAccount(callerOf(request), request.body, visitorOf(request)),
  );

  app.post(
    "/api/v3/auth/password",
    { config: { sessionOnly: true }, schema: { tags, body: PasswordBody, response: { 200: AuthResponse } } },
    async (request, reply) =>
      welcome(request, reply, await auth.changePassword(callerOf(request), request.body, visitorOf(request))),
  );

  app.put(
    "/api/v3/auth/avatar",
    // Room for the form around the largest picture; the picture itself is measured by the service.
    { bodyLimit: avatarLimits.maxBytes + 64 * 1024, schema: { tags, response: { 200: AuthResponse } } },
    async (request) => {
      const file = findFile(request.body, "avatar");
      if (!file) throw new AppError("avatar_not_image");
      return auth.setAvatar(callerOf(request), file.data);
    },
  );

  app.delete("/api/v3/auth/avatar", { schema: { tags, response: { 200: AuthResponse } } }, (request) =>
    auth.removeAvatar(callerOf(request)),
  );

  app.get("/api/v3/accounts/:id/avatar", { schema: { tags, params: z.object({ id: Id }) } }, async (request, reply) => {
    const { image } = await auth.getAvatar(request.params.id);
    return reply.type("image/webp").header("cache-control", "private, max-age=31536000, immutable").send(image);
  });
}
