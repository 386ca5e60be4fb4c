import { Id } from "@miranda/contract/schemas/forms.ts";
import {
  CreateWebhookBody,
  PatchWebhookBody,
  Webhook,
  WebhookCall,
  WebhookCallList,
  WebhookList,
  WebhookParams,
  WebhookWithSecret,
} from "@miranda/contract/schemas/news/webhooks.ts";
import { z } from "zod";

import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Webhooks } from "./webhooks-service.ts";

const tags = ["webhooks"];
const ofProject = z.object({ projectId: Id });
const params = WebhookParams;

export function webhookRoutes(app: Http, webhooks: Webhooks): void {
  app.get(
    "/api/v3/projects/:projectId/webhooks",
    { schema: { tags, params: ofProject, response: { 200: WebhookList } } },
    (request) => webhooks.list(callerOf(request), request.params.projectId),
  );

  app.post(
    "/api/v3/projects/:projectId/webhooks",
    { schema: { tags, params: ofProject, body: CreateWebhookBody, response: { 200: WebhookWithSecret } } },
    (request) => webhooks.create(callerOf(request), request.params.projectId, request.body),
  );

  app.patch(
    "/api/v3/projects/:projectId/webhooks/:webhookId",
    { schema: { tags, params, body: PatchWebhookBody, response: { 200: Webhook } } },
    (request) => {
      const { projectId, webhookId } = request.params;
      return webhooks.change(callerOf(request), projectId, webhookId, request.body);
    },
  );

  app.delete(
    "/api/v3/projects/:projectId/webhooks/:webhookId",
    { schema: { tags, params, response: { 200: z.object({}) } } },
    async (request) => {
      await webhooks.remove(callerOf(request), request.params.projectId, request.params.webhookId);
      return {};
    },
  );

  app.post(
    "/api/v3/projects/:projectId/webhooks/:webhookId/secret",
    { schema: { tags, params, response: { 200: WebhookWithSecret } } },
    (request) => webhooks.rotate(callerOf(request), request.params.projectId, request.params.webhookId),
  );

  app.get(
    "/api/v3/projects/:projectId/webhooks/:webhookId/calls",
    { schema: { tags, params, response: { 200: WebhookCallList } } },
    (request) => webhooks.calls(callerOf(request), request.params.projectId, request.params.webhookId),
  );

  app.post(
    "/api/v3/projects/:projectId/webhooks/:webhookId/test",
    { schema: { tags, params, response: { 200: WebhookCall } } },
    (request) => webhooks.test(callerOf(request), request.params.projectId, request.params.webhookId),
  );
}
