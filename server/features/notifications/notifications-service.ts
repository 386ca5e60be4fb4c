import {
  type Notification,
  type NotificationEvent,
  type NotificationKind,
  type NotificationPage,
  NotificationSettings,
  type NotificationsQuery,
  type Unread,
} from "@miranda/contract/schemas/news/notifications.ts";

import { notificationStore as limits } from "../../limits.ts";
import { newId } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { Realtime } from "../realtime/realtime-service.ts";
import { createNotificationQueries } from "./notifications-queries.ts";

export interface NewNotification {
  accountId: string;
  /** `account_security` reaches everybody: it cannot be turned off. */
  kind: NotificationKind | "account_security";
  runId?: string;
  projectId?: string;
  modelId?: string;
  /** The thread of comments that it opens. */
  threadId?: string;
  title: string;
  body: string;
  /** How long the run took. Left out: whoever wants short runs left out is told too. */
  seconds?: number;
}

interface Dependencies {
  db: Db;
  realtime: Pick<Realtime, "publishToAccount">;
}

export type NotificationsFeature = ReturnType<typeof createNotificationsFeature>;

/** What people are told, and which of it they have read. */
export function createNotificationsFeature({ db, realtime }: Dependencies) {
  const queries = createNotificationQueries(db);

  async function settingsOf(accountId: string, on: Db = db): Promise<NotificationSettings | undefined> {
    const stored = await createNotificationQueries(on).settings(accountId);
    if (!stored) return undefined;
    // A setting that a later version stored otherwise must not keep the others from working.
    return NotificationSettings.safeParse(stored).data ?? NotificationSettings.parse({});
  }

  function publishUnread(accountId: string, event: Unread): void {
    realtime.publishToAccount(accountId, "update[NOTIFICATIONS]", event);
  }

  return {
    /**
     * Stores what an account wants to be told, inside a transaction. Returns a function that publishes it afterwards;
     * undefined when the account does not want to know.
     */
    async add(trx: Db, given: NewNotification): Promise<(() => Promise<void>) | undefined> {
      const { accountId, kind, seconds, runId = null, projectId = null, modelId = null, threadId = null } = given;
      const settings = await settingsOf(accountId, trx);
      if (
        !settings ||
        (kind !== "account_security" && !settings[kind]) ||
        (seconds !== undefined && seconds < settings.min_seconds)
      )
        return undefined;
      const row = {
        id: newId(),
        kind,
        run_id: runId,
        project_id: projectId,
        model_id: modelId,
        thread_id: threadId,
        title: inShort(given.title),
        body: inShort(given.body),
      };
      const added = await createNotificationQueries(trx).insert({ ...row, account_id: accountId });
      if (!added) return undefined;
      const notification = toNotification({ ...row, created_at: added.created_at, read_at: null });
      return async () => {
        const unread = await queries.countUnread(accountId);
        const event: NotificationEvent = { notification, unread, browser: settings.browser };
        realtime.publishToAccount(accountId, "new[NOTIFICATION]", event);
      };
    },

    /** A comment was edited or deleted: notifications of it do not keep its old text. */
    async rewriteThread(trx: Db, threadId: string, before: string, after: string): Promise<void> {
      await createNotificationQueries(trx).rewriteThread(threadId, inShort(before), inShort(after));
    },

    async list({ accountId }: Caller, { limit, after }: NotificationsQuery): Promise<NotificationPage> {
      const [rows, unread] = await Promise.all([
        queries.list(accountId, { after, limit: limit + 1 }),
        queries.countUnread(accountId),
      ]);
      const shown = rows.slice(0, limit);
      return {
        notifications: shown.map(toNotification),
        unread,
        next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
      };
    },

    async markRead({ accountId }: Caller, id: string | undefined): Promise<Unread> {
      if (id !== undefined && !(await queries.exists(accountId, id))) throw new AppError("notification_not_found");
      await queries.markRead(accountId, id);
      const event = { unread: await queries.countUnread(accountId) };
      publishUnread(accountId, event);
      return event;
    },

    async settings({ accountId }: Caller): Promise<NotificationSettings> {
      return (await settingsOf(accountId)) ?? NotificationSettings.parse({});
    },

    async saveSettings({ accountId }: Caller, settings: NotificationSettings): Promise<NotificationSettings> {
      await queries.saveSettings(accountId, JSON.stringify(settings));
      return settings;
    },

    sweep: () => queries.sweep(),
  };
}

function inShort(text: string): string {
  const line = text.replaceAll("\u0000", "").trim();
  return line.length > limits.bodyMax ? `${line.slice(0, limits.bodyMax - 1)}…` : line;
}

type Row = Awaited<ReturnType<ReturnType<typeof createNotificationQueries>["list"]>>[number];

function toNotification({ created_at, read_at, ...row }: Row): Notification {
  return { ...row, time_created: created_at.toISOString(), read: read_at !== null };
}
