import { webhook as limits } from "@miranda/contract/limits.ts";
import type {
  CreateWebhookBody,
  PatchWebhookBody,
  Webhook,
  WebhookCall,
  WebhookWithSecret,
} from "@miranda/contract/schemas/news/webhooks.ts";

import { webhookCalls } from "../../limits.ts";
import type { AuditEvent } from "../../platform/audit/audit-event.ts";
import { actorOf, recordAuditEvent, withAuditEvent } from "../../platform/audit/audit-log.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Cipher } from "../../platform/cipher.ts";
import { newId, randomToken } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { addWithinQuota } from "../../platform/limits/quota-lock.ts";
import type { Projects } from "../projects/projects-service.ts";
import { isArrived, sendCall, type SendSettings } from "./send-call.ts";
import { isWrittenPrivate } from "../../platform/public-address.ts";
import { createWebhookQueries, type WebhookCallRow, type WebhookRow } from "./webhooks-queries.ts";

interface Dependencies {
  db: Db;
  cipher: Cipher;
  projects: Pick<Projects, "getProject">;
  sending: SendSettings;
}

export type Webhooks = ReturnType<typeof createWebhooks>;

/**
 * The webhooks of a project. Who may run its workflows may manage them: a run can call any address already. Readers do
 * not see them, because an address often contains a password of its own.
 */
export function createWebhooks({ db, cipher, projects, sending }: Dependencies) {
  const queries = createWebhookQueries(db);
  /** The tests in progress, by account. */
  const tests = new Map<string, number>();

  async function demand(caller: Caller, projectId: string): Promise<void> {
    await projects.getProject(caller, projectId, "write");
  }

  async function getWebhook(projectId: string, id: string): Promise<WebhookRow> {
    const row = await queries.find(projectId, id);
    if (!row) throw new AppError("webhook_not_found");
    return row;
  }

  function refusePrivate(url: string): void {
    if (!sending.allowsPrivate && isWrittenPrivate(new URL(url).hostname)) throw new AppError("webhook_private");
  }

  /** Refuses what is too much: thousands of tests of an address that hangs would take all connections. */
  async function testing<Result>(accountId: string, test: () => Promise<Result>): Promise<Result> {
    const before = tests.get(accountId) ?? 0;
    if (before >= webhookCalls.testsPerAccount)
      throw new AppError("too_many_webhook_tests", undefined, webhookCalls.timeout / 1_000);
    tests.set(accountId, before + 1);
    try {
      return await test();
    } finally {
      const left = (tests.get(accountId) ?? 1) - 1;
      if (left > 0) tests.set(accountId, left);
      else tests.delete(accountId);
    }
  }

  return {
    async list(caller: Caller, projectId: string): Promise<Webhook[]> {
      await demand(caller, projectId);
      return (await queries.list(projectId)).map(toWebhook);
    },

    async create(caller: Caller, projectId: string, { url, events }: CreateWebhookBody): Promise<WebhookWithSecret> {
      await demand(caller, projectId);
      refusePrivate(url);
      const secret = randomToken();
      const row = {
        ...{ id: newId(), project_id: projectId, url, events, created_by: caller.accountId },
        secret: cipher.encrypt(secret),
      };
      const made = await addWithinQuota(db, { what: "webhooks", owner: projectId }, async (trx) => {
        const inside = createWebhookQueries(trx);
        if ((await inside.count(projectId)) >= limits.perProject) throw new AppError("too_many_webhooks");
        const added = await inside.insert(row);
        await recordAuditEvent(trx, auditEventOf("webhook.add", caller, added));
        return added;
      });
      return { ...toWebhook(made), secret };
    },

    async change(caller: Caller, projectId: string, id: string, patch: PatchWebhookBody): Promise<Webhook> {
      await demand(caller, projectId);
      const { url, events, enabled } = patch;
      if (url !== undefined) refusePrivate(url);
      const changed = await db.transaction().execute(async (trx) => {
        const inside = createWebhookQueries(trx);
        const after = await inside.update(projectId, id, {
          ...(url !== undefined && { url }),
          ...(events !== undefined && { events }),
          ...(enabled !== undefined && { enabled, disabled_reason: "", failing_since: null, failure_told: false }),
        });
        if (after && enabled === false) await inside.dropWaiting(id);
        if (after) await recordAuditEvent(trx, auditEventOf("webhook.change", caller, after));
        return after;
      });
      return toWebhook(changed ?? (await getWebhook(projectId, id)));
    },

    /** The old secret ends at once: calls that wait are signed with the new one. */
    async rotate(caller: Caller, projectId: string, id: string): Promise<WebhookWithSecret> {
      await demand(caller, projectId);
      const secret = randomToken();
      const changed = await db.transaction().execute(async (trx) => {
        const after = await createWebhookQueries(trx).update(projectId, id, { secret: cipher.encrypt(secret) });
        if (!after) throw new AppError("webhook_not_found");
        await recordAuditEvent(trx, auditEventOf("webhook.change", caller, after));
        return after;
      });
      return { ...toWebhook(changed), secret };
    },

    async remove(caller: Caller, projectId: string, id: string): Promise<void> {
      await demand(caller, projectId);
      const webhook = await getWebhook(projectId, id);
      await withAuditEvent(db, auditEventOf("webhook.remove", caller, webhook), async (trx) => {
        if (!(await createWebhookQueries(trx).remove(projectId, id))) throw new AppError("webhook_not_found");
      });
    },

    async calls(caller: Caller, projectId: string, id: string): Promise<WebhookCall[]> {
      await demand(caller, projectId);
      await getWebhook(projectId, id);
      return (await queries.calls(id, limits.callsListed)).map(toCall);
    },

    /** Sends a call now, once, and waits for its answer. Also while the webhook is turned off. */
    async test(caller: Caller, projectId: string, id: string): Promise<WebhookCall> {
      await demand(caller, projectId);
      const { url, secret } = await getWebhook(projectId, id);
      const body = JSON.stringify({ event: "test", time: new Date().toISOString(), project_id: projectId });
      const call = { id: newId(), event: "test", body };
      const sent = await testing(caller.accountId, async () => {
        await queries.insertCall({ ...call, webhook_id: id, run_id: null }, false);
        return sendCall({ ...call, url, secret: cipher.decrypt(secret) }, sending);
      });
      await queries.saveTry(call.id, { ...sent, tries: 1, pause: undefined });
      if (isArrived(sent)) await queries.arrived(id);
      const row = await queries.findCall(call.id);
      if (!row) throw new AppError("webhook_not_found");
      return toCall(row);
    },

    sweep: () => queries.sweep(),
  };
}

function toWebhook({ id, url, events, enabled, disabled_reason, failing_since, created_at }: WebhookRow): Webhook {
  return {
    ...{ id, url, events, enabled, disabled_reason },
    failing_since: failing_since?.toISOString() ?? null,
    time_created: created_at.toISOString(),
  };
}

function toCall({ created_at, answered_at, next_at, ...row }: WebhookCallRow): WebhookCall {
  const { id, event, run_id, tries, status, answer, seconds } = row;
  return {
    ...{ id, event, run_id, tries, status, answer, seconds },
    state: next_at !== null ? "waiting" : isArrived(row) ? "arrived" : "given_up",
    time_created: created_at.toISOString(),
    time_answered: answered_at?.toISOString() ?? null,
    time_next: next_at?.toISOString() ?? null,
  };
}

/** The host only: an address may hold a password. */
function auditEventOf(
  kind: "webhook.add" | "webhook.change" | "webhook.remove",
  caller: Caller,
  { id, url, project_id: projectId }: { id: string; url: string; project_id: string },
): AuditEvent {
  return { kind, ...actorOf(caller), projectId, subject: { kind: "webhook", id, name: new URL(url).host } };
}
