import { following } from "@miranda/contract/limits.ts";
import { AttributeParams, PatchAttributeBody } from "@miranda/contract/schemas/attributes.ts";
import {
  Changed,
  ChangedAttribute,
  ChangedEdge,
  ChangedNode,
  DeleteManyResponse,
} from "@miranda/contract/schemas/changes.ts";
import { IdParams, MetadataIdParams } from "@miranda/contract/schemas/forms.ts";
import {
  CreateNodeBody,
  CreateNodeQuery,
  EdgeBody,
  Node,
  NodePositionParams,
  PatchComputePolicyBody,
  PatchNodeApiBody,
  PatchNodeBody,
  PutEdgeBody,
  PutNodeApiBody,
  PutPositionBody,
  TagBody,
  TagQuery,
  WobTypeQuery,
} from "@miranda/contract/schemas/nodes.ts";
import { z } from "zod";

import { AppError } from "../../platform/errors/app-error.ts";
import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Projects } from "../projects/projects-service.ts";
import type { Batch } from "./batch-service.ts";
import type { Edges } from "./edges-service.ts";
import type { Nodes } from "./nodes-service.ts";

const tags = ["nodes and edges"];
// Room for the largest code and its api, escaped in a form.
const codeBodyLimit = 8 * 1024 * 1024;

interface Services {
  nodes: Nodes;
  edges: Edges;
  batch: Batch;
  projects: Pick<Projects, "follow">;
}

export function nodeRoutes(app: Http, { nodes, edges, batch, projects }: Services): void {
  const params = MetadataIdParams;

  app.get(
    "/api/v3/objects/:id",
    { schema: { tags, params, querystring: WobTypeQuery, response: { 200: Node } } },
    (request) => nodes.read(callerOf(request), request.params.id, request.query.wob_type),
  );

  app.post(
    "/api/v3/objects",
    { schema: { tags, querystring: CreateNodeQuery, body: CreateNodeBody, response: { 200: ChangedNode } } },
    (request) => nodes.create(callerOf(request), request.query.wob_type, request.body),
  );

  app.put(
    "/api/v3/designer/:projectId/nodes/:id",
    { schema: { tags, params: NodePositionParams, body: PutPositionBody, response: { 200: Changed } } },
    (request) => batch.moveOne(callerOf(request), request.params.projectId, request.params.id, request.body.position),
  );

  app.patch(
    "/api/v3/objects/:id",
    { schema: { tags, params, body: PatchNodeBody, response: { 200: ChangedNode } } },
    (request) => nodes.patch(callerOf(request), request.params.id, request.body),
  );

  app.patch(
    "/api/v3/compute_policies/:id",
    { schema: { tags, params: IdParams, body: PatchComputePolicyBody, response: { 200: ChangedNode } } },
    (request) => nodes.patchComputePolicy(callerOf(request), request.params.id, request.body),
  );

  app.delete("/api/v3/objects/:id", { schema: { tags, params, response: { 200: DeleteManyResponse } } }, (request) =>
    batch.removeOne(callerOf(request), request.params.id),
  );

  app.post("/api/v3/objects/edges", { schema: { tags, body: EdgeBody, response: { 200: ChangedEdge } } }, (request) =>
    edges.create(callerOf(request), request.body),
  );

  app.put("/api/v3/objects/edges", { schema: { tags, body: PutEdgeBody, response: { 200: ChangedEdge } } }, (request) =>
    edges.redraw(callerOf(request), request.body),
  );

  app.delete("/api/v3/objects/edges", { schema: { tags, body: EdgeBody, response: { 200: Changed } } }, (request) =>
    edges.remove(callerOf(request), request.body),
  );

  app.put(
    "/api/v3/objects/:id/api",
    { bodyLimit: codeBodyLimit, schema: { tags, params, body: PutNodeApiBody, response: { 200: ChangedNode } } },
    (request) => nodes.putApi(callerOf(request), request.params.id, request.body),
  );

  app.patch(
    "/api/v3/objects/:id/api",
    { schema: { tags, params, body: PatchNodeApiBody, response: { 200: ChangedNode } } },
    (request) => nodes.setDisabled(callerOf(request), request.params.id, request.body.api.disabled),
  );

  app.patch(
    "/api/v3/objects/:id/attributes/:name",
    { schema: { tags, params: AttributeParams, body: PatchAttributeBody, response: { 200: ChangedAttribute } } },
    (request) => nodes.setAttribute(callerOf(request), request.params.id, request.params.name, request.body),
  );

  for (const [method, isSet] of [
    ["POST", true],
    ["DELETE", false],
  ] as const) {
    app.route({
      method,
      url: "/api/v3/objects/:id/tags",
      schema: {
        tags,
        params,
        querystring: TagQuery,
        body: TagBody,
        response: { 200: z.union([Changed, z.object({})]) },
      },
      handler: async (request) => {
        const { wob_type } = request.query;
        const { tag } = request.body;
        if (wob_type === "PROJECT" && tag === following.tag) {
          await projects.follow(callerOf(request), request.params.id, isSet);
          return {};
        }
        if (wob_type === "PROJECT" || wob_type === "GRAPH") throw new AppError("wrong_wob_type");
        return nodes.setTag(callerOf(request), request.params.id, tag, isSet);
      },
    });
  }
}
