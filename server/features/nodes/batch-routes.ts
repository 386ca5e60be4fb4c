import { batch as limits } from "@miranda/contract/limits.ts";
import {
  Changed,
  ChangedGroup,
  ChangeManyBody,
  CreateGroupBody,
  DeleteManyBody,
  DeleteManyResponse,
  GroupParams,
  PasteBody,
  PastedEdge,
  PastedNode,
  PasteOutline,
  PasteResponse,
  PatchGroupBody,
  PositionsResponse,
  PutPositionsBody,
  RestoreBody,
} from "@miranda/contract/schemas/changes.ts";
import { GraphParams } from "@miranda/contract/schemas/graphs.ts";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import { sendInSlices } from "../../platform/http/send-parts.ts";
import { checkedInSlices } from "../../platform/http/validation.ts";
import type { Batch } from "./batch-service.ts";
import type { Groups } from "./groups-service.ts";

const tags = ["nodes and edges"];
const params = GraphParams;

export function batchRoutes(app: Http, batch: Batch, groups: Groups): void {
  app.post(
    "/api/v3/graphs/:graphId/positions",
    { schema: { tags, params, body: PutPositionsBody, response: { 200: PositionsResponse } } },
    (request) => batch.moveMany(callerOf(request), request.params.graphId, request.body.positions),
  );

  app.patch(
    "/api/v3/graphs/:graphId/nodes",
    { bodyLimit: limits.bodyMax, schema: { tags, params, body: ChangeManyBody, response: { 200: Changed } } },
    (request) => batch.changeMany(callerOf(request), request.params.graphId, request.body.changes),
  );

  app.post(
    "/api/v3/graphs/:graphId/paste",
    {
      bodyLimit: limits.bodyMax,
      ...checkedInSlices(PasteOutline, { nodes: PastedNode, edges: PastedEdge }),
      schema: { tags, params, body: PasteBody, response: { 200: PasteResponse } },
    },
    async (request, reply) =>
      sendInSlices(reply, await batch.paste(callerOf(request), request.params.graphId, request.body)),
  );

  app.post(
    "/api/v3/graphs/:graphId/delete",
    {
      bodyLimit: limits.bodyMax,
      schema: { tags, params, body: DeleteManyBody, response: { 200: DeleteManyResponse } },
    },
    (request) => batch.removeMany(callerOf(request), request.params.graphId, request.body),
  );

  app.post(
    "/api/v3/graphs/:graphId/restore",
    { bodyLimit: limits.bodyMax, schema: { tags, params, body: RestoreBody, response: { 200: PasteResponse } } },
    async (request, reply) =>
      sendInSlices(reply, await batch.restore(callerOf(request), request.params.graphId, request.body)),
  );

  app.post(
    "/api/v3/graphs/:graphId/groups",
    { schema: { tags, params, body: CreateGroupBody, response: { 200: ChangedGroup } } },
    (request) => groups.create(callerOf(request), request.params.graphId, request.body),
  );

  app.patch(
    "/api/v3/graphs/:graphId/groups/:groupId",
    { schema: { tags, params: GroupParams, body: PatchGroupBody, response: { 200: ChangedGroup } } },
    (request) => groups.change(callerOf(request), request.params.graphId, request.params.groupId, request.body),
  );

  app.delete(
    "/api/v3/graphs/:graphId/groups/:groupId",
    { schema: { tags, params: GroupParams, response: { 200: Changed } } },
    (request) => groups.remove(callerOf(request), request.params.graphId, request.params.groupId),
  );
}
