import {
  Identity,
  ProviderAddress,
  ProviderBody,
  ProviderCallback,
  ProviderId,
} from "@miranda/contract/schemas/account/providers.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import { visitorOf } from "../../../platform/http/visitor.ts";
import { createSignInReply } from "../sign-in-reply.ts";
import { type Providers, ReturnRefused } from "./providers-service.ts";

const tags = ["session"];
const secondStep = (methods: readonly string[], next: string) =>
  new URLSearchParams({ second_step: methods.join(","), next }).toString();
const Params = z.object({ id: ProviderId });
const browserCookie = { name: "miranda_provider", path: "/api/v3/auth/providers", seconds: 600 };
const signOutCookie = { name: "miranda_sign_out", path: "/api/v3/auth", seconds: 30 * 86_400 };

export function providerRoutes(app: Http, providers: Providers, publicUrl: string | undefined): void {
  const { welcome, cookieOptions } = createSignInReply(publicUrl);

  function keep(request: FastifyRequest, reply: FastifyReply, cookie: typeof browserCookie, value: string): void {
    // They are Lax: the provider sends people back from its own site.
    void reply.setCookie(cookie.name, value, { ...cookieOptions(request), path: cookie.path, maxAge: cookie.seconds });
  }

  app.post(
    "/api/v3/auth/providers/:id",
    {
      config: { public: true },
      schema: { tags, params: Params, body: ProviderBody, response: { 200: ProviderAddress } },
    },
    async (request, reply) => {
      const { address, browser } = await providers.begin(request.params.id, request.body, {
        caller: request.caller,
        visitor: visitorOf(request),
        browser: request.cookies[browserCookie.name],
      });
      keep(request, reply, browserCookie, browser);
      return { address };
    },
  );

  app.get(
    "/api/v3/auth/providers/:id/callback",
    { config: { public: true }, schema: { tags, params: Params, querystring: ProviderCallback } },
    async (request, reply) => {
      const query = new URLSearchParams(JSON.parse(JSON.stringify(request.query)) as Record<string, string>);
      try {
        const { next, signedIn, idToken } = await providers.finish(request.params.id, {
          query,
          browser: request.cookies[browserCookie.name],
          caller: request.caller,
          visitor: visitorOf(request),
        });
        if (idToken) keep(request, reply, signOutCookie, idToken);
        if (signedIn) welcome(request, reply, signedIn);
        const isWaiting = signedIn && "ticket" in signedIn;
        // 302 by name: a sign-in that waits for its second factor has set 202, which browsers do not follow.
        return await reply.redirect(isWaiting ? `/login?${secondStep(signedIn.methods, next)}` : next, 302);
      } catch (error) {
        if (!(error instanceof ReturnRefused)) throw error;
        // Only codes: a page must not show words that somebody wrote into a link.
        const shown = new URLSearchParams({ problem: error.refusal.code, provider: request.params.id });
        return reply.redirect(`${error.page}?${shown.toString()}`, 302);
      }
    },
  );

  app.get(
    "/api/v3/auth/identities",
    { config: { sessionOnly: true }, schema: { tags, response: { 200: z.array(Identity) } } },
    (request) => providers.list(callerOf(request)),
  );

  app.delete(
    "/api/v3/auth/identities/:id",
    { config: { sessionOnly: true }, schema: { tags, params: Params, response: { 200: z.object({}) } } },
    async (request) => {
      await providers.disconnect(callerOf(request), request.params.id, visitorOf(request));
      return {};
    },
  );
}

/** Where somebody who signs out here signs out of their provider, too. */
export function createSignOutAddress(providers: Providers, publicUrl: string | undefined) {
  const { cookieOptions } = createSignInReply(publicUrl);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<string | undefined> => {
    const sealed = request.cookies[signOutCookie.name];
    if (sealed === undefined) return undefined;
    void reply.clearCookie(signOutCookie.name, { ...cookieOptions(request), path: signOutCookie.path });
    return providers.signOutAddress(sealed, request.caller);
  };
}
