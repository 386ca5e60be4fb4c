import { useQuery, useQueryClient } from "@tanstack/react-query";

import type { Webhook, WebhookCall, WebhookEvent, WebhookWithSecret } from "@miranda/contract/schemas/news/webhooks.ts";

import { refresh } from "../../limits.ts";
import { call } from "../http.ts";

const path = (projectId: string, id?: string) =>
  `/api/v3/projects/${encodeURIComponent(projectId)}/webhooks${id === undefined ? "" : `/${id}`}`;

const keyOf = (projectId: string) => ["webhooks", projectId];

export function useWebhooks(projectId: string) {
  return useQuery({
    queryKey: keyOf(projectId),
    queryFn: ({ signal }) => call<Webhook[]>(path(projectId), { signal }),
  });
}

/** What a webhook was told last, and what it answered. */
export function useWebhookCalls(projectId: string, id: string) {
  return useQuery({
    queryKey: [...keyOf(projectId), id, "calls"],
    queryFn: ({ signal }) => call<WebhookCall[]>(`${path(projectId, id)}/calls`, { signal }),
    refetchInterval: refresh.webhookCalls,
  });
}

interface WebhookFields {
  url: string;
  events: readonly WebhookEvent[];
}

export function useWebhookActions(projectId: string) {
  const client = useQueryClient();
  const refetch = () => client.invalidateQueries({ queryKey: keyOf(projectId) });
  const formOf = ({ url, events }: WebhookFields) => ({ url, events: JSON.stringify(events) });
  return {
    async create(fields: WebhookFields): Promise<WebhookWithSecret> {
      const made = await call<WebhookWithSecret>(path(projectId), { method: "POST", fields: formOf(fields) });
      await refetch();
      return made;
    },
    async change(id: string, fields: WebhookFields): Promise<void> {
      await call(path(projectId, id), { method: "PATCH", fields: formOf(fields) });
      await refetch();
    },
    async turn(id: string, enabled: boolean): Promise<void> {
      await call(path(projectId, id), { method: "PATCH", fields: { enabled } });
      await refetch();
    },
    async rotate(id: string): Promise<WebhookWithSecret> {
      return call<WebhookWithSecret>(`${path(projectId, id)}/secret`, { method: "POST" });
    },
    async remove(id: string): Promise<void> {
      await call(path(projectId, id), { method: "DELETE" });
      await refetch();
    },
    /** Sends a call now and waits for its answer. */
    async test(id: string): Promise<WebhookCall> {
      const answer = await call<WebhookCall>(`${path(projectId, id)}/test`, { method: "POST" });
      await refetch();
      return answer;
    },
  };
}
