import { Channel } from "@miranda/contract/schemas/deployments/deployments.ts";
import { z } from "zod";

import { AppError } from "../../../platform/errors/app-error.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import type { Deployments } from "../../deployments/deployments-service.ts";
import { whoOf } from "../../deployments/who.ts";
import { openApiDocument } from "./openapi-document.ts";

const params = z.object({ name: z.string().min(1).max(100) });
const querystring = z.object({ channel: Channel.default("production") });

interface Dependencies {
  deployments: Pick<Deployments, "forView">;
  publicUrl: string | undefined;
}

/** The OpenAPI document of a deployment, for those who may use it. */
export function openApiRoutes(app: Http, { deployments, publicUrl }: Dependencies): void {
  app.get(
    "/api/v3/deployments/:name/openapi.json",
    { config: { public: true, deploymentTokens: true }, schema: { tags: ["calls"], params, querystring } },
    async (request, reply) => {
      const { channel } = request.query;
      const { deployment, release } = await deployments.forView(whoOf(request), request.params.name, channel);
      if (!release) throw new AppError("deployment_empty");
      const { name, title, description } = deployment;
      const { fields } = release.form;
      const origin = publicUrl === undefined ? `${request.protocol}://${request.host}` : new URL(publicUrl).origin;
      return reply.send(openApiDocument({ name, title, description, release: release.number, fields }, origin));
    },
  );
}
