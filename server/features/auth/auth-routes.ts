import { avatar as avatarLimits, session as sessionLimits } from "@miranda/contract/limits.ts";
import {
  AccessToken,
  AccessTokenBody,
  AccessTokenResponse,
  AccountPatch,
  AuthRefusal,
  AuthResponse,
  LoginBody,
  OnboardingBody,
  PasswordBody,
  RegisterBody,
} from "@miranda/contract/schemas/auth.ts";
import { Id } from "@miranda/contract/schemas/forms.ts";
import { PageKeyQuery } from "@miranda/contract/schemas/pages.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";

import { AppError } from "../../platform/errors/app-error.ts";
import { findFile } from "../../platform/http/bodies.ts";
import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import { visitorOf } from "../../platform/http/visitor.ts";
import { isSecure } from "../../platform/http/security.ts";
import type { Auth, SignedIn } from "./auth-service.ts";

const tags = ["session"];
const Nothing = z.object({});

export function authRoutes(app: Http, auth: Auth, publicUrl: string | undefined): void {
  function welcome(request: FastifyRequest, reply: FastifyReply, { sessionToken, response }: SignedIn): AuthResponse {
    void reply.setCookie(sessionLimits.cookie, sessionToken, {
      ...cookieOptions(request),
      maxAge: sessionLimits.lifetime / 1000,
    });
    return response;
  }

  function cookieOptions(request: FastifyRequest) {
    return { path: "/", httpOnly: true, sameSite: "lax", secure: isSecure(request, publicUrl) } as const;
  }

  app.get(
    "/api/v3/auth",
    { config: { public: true }, schema: { tags, response: { 200: AuthResponse, 401: AuthRefusal } } },
    async (request, reply) => {
      if (request.caller) return auth.describe(request.caller.accountId);
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
    { config: { public: true }, schema: { tags, body: LoginBody, response: { 200: AuthResponse } } },
    async (request, reply) => welcome(request, reply, await auth.login(request.body, visitorOf(request))),
  );

  app.delete(
    "/api/v3/auth",
    { config: { public: true }, schema: { tags, response: { 200: Nothing } } },
    async (request, reply) => {
      await auth.logout(request.caller);
      void reply.clearCookie(sessionLimits.cookie, cookieOptions(request));
      return {};
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

  app.get(
    "/api/v3/auth/access_tokens",
    { schema: { tags, querystring: PageKeyQuery, response: { 200: z.array(AccessToken) } } },
    (request) => auth.listTokens(callerOf(request), request.query),
  );

  app.post(
    "/api/v3/auth/access_tokens",
    { config: { sessionOnly: true }, schema: { tags, body: AccessTokenBody, response: { 200: AccessTokenResponse } } },
    async (request) => {
      const { web_password, name } = request.body;
      return { token: await auth.createToken(callerOf(request), web_password, name, visitorOf(request)) };
    },
  );

  app.delete(
    "/api/v3/auth/access_tokens/:id",
    { config: { sessionOnly: true }, schema: { tags, params: z.object({ id: Id }), response: { 200: Nothing } } },
    async (request) => {
      await auth.revokeToken(callerOf(request), request.params.id);
      return {};
    },
  );
}
