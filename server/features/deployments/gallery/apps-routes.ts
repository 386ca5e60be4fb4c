import {
  App,
  AppPage,
  AppsQuery,
  AppTags,
  Channel,
  FavouriteBody,
} from "@miranda/contract/schemas/deployments/deployments.ts";
import { z } from "zod";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import { whoOf } from "../who.ts";
import type { Apps } from "./apps-service.ts";

const tags = ["apps"];
const params = z.object({ name: z.string().min(1).max(60) });

/** What people and programs use. */
export function appRoutes(app: Http, apps: Apps): void {
  app.get(
    "/api/v3/deployments",
    { schema: { tags, querystring: AppsQuery, response: { 200: AppPage } } },
    (request) => {
      const { accountId, isAdmin, onlyProject } = callerOf(request);
      return apps.list({ accountId, isAdmin, onlyProject }, request.query);
    },
  );

  // Not below /deployments: an app may be called "tags".
  app.get("/api/v3/app-tags", { schema: { tags, response: { 200: AppTags } } }, (request) => {
    const { accountId, isAdmin, onlyProject } = callerOf(request);
    return apps.tags({ accountId, isAdmin, onlyProject });
  });

  app.get(
    "/api/v3/deployments/:name",
    {
      config: { public: true, deploymentTokens: true },
      schema: {
        ...{ tags, params, response: { 200: App } },
        querystring: z.object({ channel: Channel.default("production") }),
      },
    },
    (request) => apps.get(whoOf(request), request.params.name, request.query.channel),
  );

  app.put(
    "/api/v3/deployments/:name/favourite",
    { schema: { tags, params, body: FavouriteBody, response: { 204: z.null() } } },
    async (request, reply) => {
      const { accountId, isAdmin, onlyProject } = callerOf(request);
      await apps.setFavourite({ accountId, isAdmin, onlyProject }, request.params.name, request.body.favourite);
      return reply.code(204).send(null);
    },
  );
}
