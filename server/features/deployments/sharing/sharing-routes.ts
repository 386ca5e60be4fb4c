import { deployment as limits } from "@miranda/contract/limits.ts";
import {
  Deployment,
  DeploymentToken,
  DeploymentTokenBody,
  HookBody,
  HookMade,
} from "@miranda/contract/schemas/deployments/deployments.ts";
import { Id } from "@miranda/contract/schemas/forms.ts";
import { z } from "zod";

import { AppError } from "../../../platform/errors/app-error.ts";
import { findFile } from "../../../platform/http/bodies.ts";
import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import type { DeploymentTokens } from "./deployment-tokens-service.ts";
import type { Sharing } from "./sharing-service.ts";

const tags = ["deployments"];
const params = z.object({ graphId: Id });
const path = "/api/v3/graphs/:graphId/deployment";
const PictureQuery = z.object({
  v: z
    .string()
    .regex(/^[\w-]{0,100}$/, "That is not a picture.")
    .default(""),
});
const none = { 204: z.null() };

/** Tokens, link, hook and picture of a deployment. */
export function sharingRoutes(app: Http, { tokens, sharing }: { tokens: DeploymentTokens; sharing: Sharing }): void {
  app.get(`${path}/tokens`, { schema: { tags, params, response: { 200: z.array(DeploymentToken) } } }, (request) =>
    tokens.list(callerOf(request), request.params.graphId),
  );

  app.post(
    `${path}/tokens`,
    {
      // Somebody who found a token must not be able to make another one.
      config: { sessionOnly: true },
      schema: { tags, params, body: DeploymentTokenBody, response: { 201: z.object({ token: z.string() }) } },
    },
    async (request, reply) => {
      const token = await tokens.create(callerOf(request), request.params.graphId, request.body.name);
      return reply.code(201).send({ token });
    },
  );

  app.delete(
    `${path}/tokens/:id`,
    { schema: { tags, params: params.extend({ id: Id }), response: none } },
    async (request, reply) => {
      await tokens.revoke(callerOf(request), request.params.graphId, request.params.id);
      return reply.code(204).send(null);
    },
  );

  app.post(`${path}/link`, { schema: { tags, params, response: { 200: Deployment } } }, (request) =>
    sharing.makeLink(callerOf(request), request.params.graphId),
  );

  app.delete(`${path}/link`, { schema: { tags, params, response: { 200: Deployment } } }, (request) =>
    sharing.removeLink(callerOf(request), request.params.graphId),
  );

  app.post(
    `${path}/hook`,
    { config: { sessionOnly: true }, schema: { tags, params, body: HookBody, response: { 201: HookMade } } },
    async (request, reply) => {
      const made = await sharing.makeHook(callerOf(request), request.params.graphId, request.body);
      return reply.code(201).send(made);
    },
  );

  app.delete(`${path}/hook`, { schema: { tags, params, response: none } }, async (request, reply) => {
    await sharing.removeHook(callerOf(request), request.params.graphId);
    return reply.code(204).send(null);
  });

  app.put(
    `${path}/picture`,
    // Room for the form around the largest picture; the picture itself is measured by the service.
    { bodyLimit: limits.picture.maxBytes + 64 * 1024, schema: { tags, params, response: { 200: Deployment } } },
    async (request) => {
      const file = findFile(request.body, "picture");
      if (!file) throw new AppError("avatar_not_image");
      return sharing.setPicture(callerOf(request), request.params.graphId, file.data);
    },
  );

  app.delete(`${path}/picture`, { schema: { tags, params, response: { 200: Deployment } } }, (request) =>
    sharing.removePicture(callerOf(request), request.params.graphId),
  );

  app.get(
    "/api/v3/deployments/:id/picture",
    {
      config: { public: true, deploymentTokens: true },
      schema: { tags, params: z.object({ id: Id }), querystring: PictureQuery },
    },
    async (request, reply) => {
      const image = await sharing.picture(request.params.id, request.query.v);
      return reply.type("image/webp").header("cache-control", "private, max-age=31536000, immutable").send(image);
    },
  );
}
