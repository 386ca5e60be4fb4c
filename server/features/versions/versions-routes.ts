import { version as limits } from "@miranda/contract/limits.ts";
import { Id } from "@miranda/contract/schemas/forms.ts";
import { GraphParams } from "@miranda/contract/schemas/graphs.ts";
import {
  BriefComparison,
  CompareParams,
  CompareQuery,
  Comparison,
  CreateVersionBody,
  NodeEdits,
  RestoredVersion,
  RestoreVersionBody,
  Version,
  VersionGraph,
  VersionListQuery,
  VersionPage,
  VersionParams,
  WorkflowFromVersionBody,
} from "@miranda/contract/schemas/versions.ts";
import { z } from "zod";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import { isNotModified } from "../../platform/http/not-modified.ts";
import { sendInSlices, sendNothing, sendParts } from "../../platform/http/send-parts.ts";
import type { WorkShares } from "../../platform/limits/work-shares.ts";
import type { Versions } from "./versions-service.ts";

const tags = ["versions"];
const params = VersionParams;
const Created = z.object({ id: Id });
const Compared = z.union([Comparison, BriefComparison]);
const bodyLimit = limits.bodyMax;

export function versionRoutes(app: Http, versions: Versions, share: WorkShares): void {
  app.get(
    "/api/v3/graphs/:graphId/versions",
    { schema: { tags, params: GraphParams, querystring: VersionListQuery, response: { 200: VersionPage } } },
    (request) => versions.list(callerOf(request), request.params.graphId, request.query),
  );

  app.post(
    "/api/v3/graphs/:graphId/versions",
    { bodyLimit, schema: { tags, params: GraphParams, body: CreateVersionBody, response: { 200: Version } } },
    (request) => {
      const caller = callerOf(request);
      return share(caller, () => versions.create(caller, request.params.graphId, request.body));
    },
  );

  app.get(
    "/api/v3/graphs/:graphId/versions/:version",
    { schema: { tags, params, response: { 200: Version } } },
    (request) => versions.get(callerOf(request), request.params.graphId, request.params.version),
  );

  app.delete(
    "/api/v3/graphs/:graphId/versions/:version",
    { schema: { tags, params, response: { 200: z.object({}) } } },
    async (request) => {
      await versions.remove(callerOf(request), request.params.graphId, request.params.version);
      return {};
    },
  );

  app.get(
    "/api/v3/graphs/:graphId/versions/:version/graph",
    { schema: { tags, params, response: { 200: VersionGraph } } },
    async (request, reply) => {
      const { graphId, version } = request.params;
      const isKnown = (tag: string) => isNotModified(request, reply, tag);
      const caller = callerOf(request);
      const graph = await share(caller, () => versions.graph(caller, graphId, version, isKnown));
      return graph === "known" ? sendNothing(reply) : sendParts(reply, graph);
    },
  );

  app.get(
    "/api/v3/graphs/:graphId/versions/:version/edits",
    { schema: { tags, params, response: { 200: NodeEdits } } },
    (request) => versions.edits(callerOf(request), request.params.graphId, request.params.version),
  );

  app.get(
    "/api/v3/graphs/:graphId/edits",
    { schema: { tags, params: GraphParams, response: { 200: NodeEdits } } },
    (request) => versions.allEdits(callerOf(request), request.params.graphId),
  );

  app.post(
    "/api/v3/graphs/:graphId/versions/:version/restore",
    { bodyLimit, schema: { tags, params, body: RestoreVersionBody, response: { 200: RestoredVersion } } },
    (request) => {
      const { graphId, version } = request.params;
      const caller = callerOf(request);
      return share(caller, () => versions.restore(caller, graphId, version, request.body));
    },
  );

  app.get(
    "/api/v3/graphs/:graphId/versions/:before/compare/:after",
    { schema: { tags, params: CompareParams, querystring: CompareQuery, response: { 200: Compared } } },
    async (request, reply) => {
      const { graphId, before, after } = request.params;
      const other = request.query.with ?? graphId;
      const [one, two] = [
        { graphId, key: before },
        { graphId: other, key: after },
      ];
      const isKnown = (tag: string) => isNotModified(request, reply, tag);
      const caller = callerOf(request);
      const { brief } = request.query;
      const comparison = await share(caller, () => versions.compare(caller, one, two, { brief, isKnown }));
      return comparison === "known" ? sendNothing(reply) : sendInSlices(reply, comparison);
    },
  );

  app.post(
    "/api/v3/graphs/:graphId/versions/:version/workflow",
    { schema: { tags, params, body: WorkflowFromVersionBody, response: { 200: Created } } },
    async (request) => {
      const { graphId, version } = request.params;
      const caller = callerOf(request);
      return { id: await share(caller, () => versions.startWorkflow(caller, graphId, version, request.body)) };
    },
  );
}
