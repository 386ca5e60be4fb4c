import { OptionalId } from "@miranda/contract/schemas/forms.ts";
import {
  CreateSecretBody,
  NotifySecretBody,
  SecretKey,
  SecretList,
  SecretPageQuery,
} from "@miranda/contract/schemas/secrets.ts";
import { z } from "zod";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Secrets } from "./secrets-service.ts";

const tags = ["secrets"];
const Owner = z.object({ project_id: OptionalId });

export function secretRoutes(app: Http, secrets: Secrets): void {
  app.post(
    "/api/v3/secrets",
    { schema: { tags, body: CreateSecretBody, response: { 200: z.object({ key: z.string() }) } } },
    (request) => secrets.save(callerOf(request), request.body),
  );

  app.get(
    "/api/v3/secrets",
    { schema: { tags, querystring: SecretPageQuery, response: { 200: SecretList } } },
    (request) => secrets.list(callerOf(request), request.query),
  );

  app.delete(
    "/api/v3/secrets/:key",
    { schema: { tags, params: z.object({ key: SecretKey }), querystring: Owner, response: { 200: z.object({}) } } },
    async (request) => {
      await secrets.remove(callerOf(request), request.params.key, request.query.project_id);
      return {};
    },
  );

  app.post(
    "/api/v3/secrets/notify",
    { schema: { tags, body: NotifySecretBody, response: { 200: z.object({}) } } },
    async (request) => {
      await secrets.notify(callerOf(request), request.body);
      return {};
    },
  );
}
