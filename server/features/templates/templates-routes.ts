import { ChangedNode, PasteResponse } from "@miranda/contract/schemas/changes.ts";
import { IdParams, MetadataIdParams } from "@miranda/contract/schemas/forms.ts";
import { CloneBlueprintBody, ClonePrefabBody } from "@miranda/contract/schemas/nodes.ts";
import {
  Blueprint,
  BlueprintList,
  PatchTemplateBody,
  Prefab,
  PrefabDetails,
  PrefabList,
  PublishBlueprintBody,
  PublishPrefabBody,
  TakeUpdateBody,
  TemplatePageQuery,
} from "@miranda/contract/schemas/library/templates.ts";
import { z } from "zod";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import { withTotal } from "../../platform/http/list-total.ts";
import { sendInSlices } from "../../platform/http/send-parts.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import { findPicture } from "./library-pictures.ts";
import type { Templates } from "./templates-service.ts";

const tags = ["prefabs and blueprints"];
const params = IdParams;
const Nothing = z.object({});
const PictureParams = z.object({ key: z.string().max(100) });
const PictureQuery = z.object({ version: z.string().max(20).optional() });

export function templateRoutes(app: Http, templates: Templates): void {
  app.get(
    "/api/v3/prefabs",
    { config: { revalidated: true }, schema: { tags, querystring: TemplatePageQuery, response: { 200: PrefabList } } },
    async (request, reply) => withTotal(reply, await templates.listPrefabs(callerOf(request), request.query)),
  );

  app.get("/api/v3/prefabs/:id", { schema: { tags, params, response: { 200: PrefabDetails } } }, (request) =>
    templates.readPrefab(callerOf(request), request.params.id),
  );

  app.post("/api/v3/prefabs", { schema: { tags, body: PublishPrefabBody, response: { 200: Prefab } } }, (request) =>
    templates.publishPrefab(callerOf(request), request.body),
  );

  app.patch(
    "/api/v3/prefabs/:id",
    { schema: { tags, params, body: PatchTemplateBody, response: { 200: Prefab } } },
    (request) => templates.changePrefab(callerOf(request), request.params.id, request.body),
  );

  app.delete("/api/v3/prefabs/:id", { schema: { tags, params, response: { 200: Nothing } } }, async (request) => {
    await templates.remove(callerOf(request), "prefab", request.params.id);
    return {};
  });

  app.get(
    "/api/v3/blueprints",
    {
      config: { revalidated: true },
      schema: { tags, querystring: TemplatePageQuery, response: { 200: BlueprintList } },
    },
    async (request, reply) => withTotal(reply, await templates.listBlueprints(callerOf(request), request.query)),
  );

  app.post(
    "/api/v3/blueprints",
    { schema: { tags, body: PublishBlueprintBody, response: { 200: Blueprint } } },
    (request) => templates.publishBlueprint(callerOf(request), request.body),
  );

  app.patch(
    "/api/v3/blueprints/:id",
    { schema: { tags, params, body: PatchTemplateBody, response: { 200: Blueprint } } },
    (request) => templates.changeBlueprint(callerOf(request), request.params.id, request.body),
  );

  app.delete("/api/v3/blueprints/:id", { schema: { tags, params, response: { 200: Nothing } } }, async (request) => {
    await templates.remove(callerOf(request), "blueprint", request.params.id);
    return {};
  });

  app.get(
    "/api/v3/library/pictures/:key",
    { schema: { tags, params: PictureParams, querystring: PictureQuery } },
    (request, reply) => {
      callerOf(request);
      const picture = findPicture(request.params.key);
      if (!picture) throw new AppError("prefab_not_found");
      return reply.header("cache-control", "private, max-age=604800").type(picture.type).send(picture.body);
    },
  );

  app.post(
    "/api/v3/objects/clone/:id",
    { schema: { tags, params, body: ClonePrefabBody, response: { 200: ChangedNode } } },
    (request) => templates.clonePrefab(callerOf(request), request.params.id, request.body),
  );

  app.post(
    "/api/v3/objects/clone/blueprint",
    { schema: { tags, body: CloneBlueprintBody, response: { 200: PasteResponse } } },
    async (request, reply) => sendInSlices(reply, await templates.cloneBlueprint(callerOf(request), request.body)),
  );

  app.post(
    "/api/v3/objects/:id/update",
    { schema: { tags, params: MetadataIdParams, body: TakeUpdateBody, response: { 200: ChangedNode } } },
    (request) => templates.applyUpdate(callerOf(request), request.params.id, request.body?.version),
  );
}
