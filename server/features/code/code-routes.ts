import { draft as limits } from "@miranda/contract/limits.ts";
import {
  AddPackageBody,
  AddPackageResponse,
  CheckBody,
  CheckResponse,
  Commit,
  CommitBody,
  CommitListQuery,
  CommitPage,
  CommitParams,
  CommitResponse,
  Draft,
  DraftComparison,
  DraftUpdateBody,
  FormatBody,
  FormatResponse,
  KeepDraftBody,
} from "@miranda/contract/schemas/code.ts";
import { IdParams, MetadataIdParams } from "@miranda/contract/schemas/forms.ts";
import { z } from "zod";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Code } from "./code-service.ts";

const tags = ["code"];
// Room for the longest code, escaped in a form.
const codeBodyLimit = 8 * 1024 * 1024;
// Base64 in a form: four thirds of the largest document, partly escaped.
const updateBodyLimit = 2 * limits.bytesMax;

export function codeRoutes(app: Http, code: Code): void {
  const params = MetadataIdParams;

  app.get(
    "/api/v3/objects/:id/commits",
    { schema: { tags, params, querystring: CommitListQuery, response: { 200: CommitPage } } },
    (request) => code.list(callerOf(request), request.params.id, request.query),
  );

  app.post(
    "/api/v3/objects/:id/commits",
    { bodyLimit: codeBodyLimit, schema: { tags, params, body: CommitBody, response: { 200: CommitResponse } } },
    (request) => code.commit(callerOf(request), request.params.id, request.body),
  );

  app.get(
    "/api/v3/objects/:id/commits/:commitId",
    { schema: { tags, params: CommitParams, response: { 200: Commit } } },
    (request) => code.read(callerOf(request), request.params.id, request.params.commitId),
  );

  app.post(
    "/api/v3/objects/:id/commits/:commitId/restore",
    { schema: { tags, params: CommitParams, response: { 200: CommitResponse } } },
    (request) => code.restore(callerOf(request), request.params.id, request.params.commitId),
  );

  app.post(
    "/api/v3/objects/:id/packages",
    { schema: { tags, params, body: AddPackageBody, response: { 200: AddPackageResponse } } },
    (request) => code.addPackage(callerOf(request), request.params.id, request.body.name),
  );

  app.post(
    "/api/v3/objects/:id/check",
    { bodyLimit: codeBodyLimit, schema: { tags, params, body: CheckBody, response: { 200: CheckResponse } } },
    (request) => code.check(callerOf(request), request.params.id, request.body.source_code),
  );

  app.post(
    "/api/v3/objects/:id/format",
    { bodyLimit: codeBodyLimit, schema: { tags, params, body: FormatBody, response: { 200: FormatResponse } } },
    (request) => code.format(callerOf(request), request.params.id, request.body),
  );

  app.post(
    "/api/v3/objects/:id/draft",
    { bodyLimit: updateBodyLimit, schema: { tags, params, body: DraftUpdateBody, response: { 200: z.object({}) } } },
    async (request) => {
      await code.update(callerOf(request), request.params.id, request.body);
      return {};
    },
  );

  app.get("/api/v3/objects/:id/draft", { schema: { tags, params, response: { 200: DraftComparison } } }, (request) =>
    code.compareDraft(callerOf(request), request.params.id),
  );

  app.post(
    "/api/v3/objects/:id/draft/kept",
    { bodyLimit: codeBodyLimit, schema: { tags, params, body: KeepDraftBody, response: { 200: z.object({}) } } },
    async (request) => {
      await code.keepDraft(callerOf(request), request.params.id, request.body.source_code);
      return {};
    },
  );

  app.get(
    "/api/v3/graphs/:id/drafts",
    { schema: { tags, params: IdParams, response: { 200: z.array(Draft) } } },
    (request) => code.drafts(callerOf(request), request.params.id),
  );
}
