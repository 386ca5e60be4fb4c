import type { WebhookEvent } from "@miranda/contract/schemas/news/webhooks.ts";

import { webhookCalls as limits } from "../../limits.ts";
import type { Cipher } from "../../platform/cipher.ts";
import { newId } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";
import { createPolledWork } from "../../platform/polled-work.ts";
import type { NotificationsFeature } from "../notifications/notifications-service.ts";
import { isArrived, sendCall, type SendSettings } from "./send-call.ts";
import { createWebhookQueries, type TakenCall } from "./webhooks-queries.ts";

/** What a project's webhooks are told. */
export interface WebhookNews {
  projectId: string;
  /** The first of these that a webhook asked for is the event of its call. */
  events: readonly WebhookEvent[];
  /** The run that it is about, if it is about one. */
  runId: string | null;
  /** What the body has besides the event and the time. */
  content: Record<string, unknown>;
}

interface Dependencies {
  db: Db;
  cipher: Cipher;
  notifications: Pick<NotificationsFeature, "add">;
  sending: SendSettings;
  report: (error: unknown) => void;
}

const queueFull = "Not sent: too many calls of this project wait.";
const days = Math.round(limits.failingMax / 86_400_000);
const turnedOff = `Every call has failed for ${days} days.`;

export type WebhookDeliveries = ReturnType<typeof createWebhookDeliveries>;

/** Sends what waits, from any server. A call that fails is tried again after growing pauses. */
export function createWebhookDeliveries({ db, cipher, notifications, sending, report }: Dependencies) {
  const queries = createWebhookQueries(db);
  /** The calls in progress, by their webhook. */
  const sent = new Map<string, Promise<void>>();
  const closing = new AbortController();
  const work = createPolledWork({ work: sendDue, every: limits.every, report });

  async function sendDue(): Promise<boolean> {
    const room = limits.atOnce - sent.size;
    if (room <= 0) return false;
    for (const call of await queries.take(room, [...sent.keys()])) {
      const sending = deliver(call)
        .catch(report)
        .finally(() => {
          sent.delete(call.webhook_id);
          work.wake();
        });
      sent.set(call.webhook_id, sending);
    }
    return false;
  }

  async function deliver({ tries: before, ...call }: TakenCall): Promise<void> {
    const answer = await sendCall({ ...call, secret: cipher.decrypt(call.secret) }, sending, closing.signal);
    // Another server takes it, or this one when it is back.
    if (closing.signal.aborted && !isArrived(answer)) return;
    const tries = before + 1;
    const pause = isArrived(answer) ? undefined : limits.pauses[before];
    await queries.saveTry(call.id, { ...answer, tries, pause });
    if (isArrived(answer)) return queries.arrived(call.webhook_id);
    await queries.failed(call.webhook_id);
    if (pause === undefined) await giveUp(call.webhook_id);
  }

  /** Tells the owner once, and turns the webhook off after days of failures. */
  async function giveUp(webhookId: string): Promise<void> {
    const publish = await db.transaction().execute(async (trx) => {
      const inside = createWebhookQueries(trx);
      const webhook = await inside.lock(webhookId);
      if (!webhook?.enabled || webhook.failing_since === null) return undefined;
      const isOver = webhook.failing_seconds * 1_000 >= limits.failingMax;
      if (!isOver && webhook.failure_told) return undefined;
      await inside.update(webhook.project_id, webhookId, {
        failure_told: true,
        ...(isOver && { enabled: false, disabled_reason: turnedOff }),
      });
      if (isOver) await inside.dropWaiting(webhookId);
      if (webhook.owner_id === null) return undefined;
      const host = new URL(webhook.url).host;
      return notifications.add(trx, {
        accountId: webhook.owner_id,
        kind: "webhook_failed",
        projectId: webhook.project_id,
        title: isOver
          ? `A webhook of ${webhook.project_name} was turned off`
          : `A webhook of ${webhook.project_name} fails`,
        body: isOver ? `${host}: ${turnedOff}` : `${host} did not take a call, however often it was tried.`,
      });
    });
    await publish?.();
  }

  return {
    ...work,

    /** Adds a call for every webhook that asked for it, inside a transaction. Call `wake` after it. */
    async add(trx: Db, { projectId, events, runId, content }: WebhookNews): Promise<void> {
      const inside = createWebhookQueries(trx);
      const listeners = await inside.listeners(projectId, events);
      if (listeners.length === 0) return;
      let waiting = await inside.countWaiting(projectId);
      for (const { id: webhookId, events: wanted } of listeners) {
        const event = events.find((one) => wanted.includes(one)) ?? "";
        const body = JSON.stringify({ event, time: new Date().toISOString(), ...content });
        const row = { id: newId(), webhook_id: webhookId, run_id: runId, event, body };
        const hasRoom = waiting < limits.waitingPerProject;
        await inside.insertCall(hasRoom ? row : { ...row, answer: queueFull }, hasRoom);
        waiting += 1;
      }
    },

    async close(): Promise<void> {
      closing.abort();
      await work.close();
      await Promise.all(sent.values());
    },
  };
}
