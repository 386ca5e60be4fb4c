import { firstMetric } from "@miranda/contract/metrics/metric-direction.ts";
import type { WebhookEvent } from "@miranda/contract/schemas/news/webhooks.ts";

import { modelFiles as limits } from "../../../limits.ts";
import type { Db } from "../../../platform/database/database.ts";
import { createPolledWork } from "../../../platform/polled-work.ts";
import type { NotificationsFeature, NewNotification } from "../../notifications/notifications-service.ts";
import type { WebhookDeliveries } from "../../webhooks/webhook-deliveries-service.ts";
import { modelNewsQueries as queries, type MoveNews, type VersionNews } from "./model-news-queries.ts";

interface Dependencies {
  db: Db;
  notifications: Pick<NotificationsFeature, "add">;
  webhooks: Pick<WebhookDeliveries, "add" | "wake">;
  publicUrl: string | undefined;
  report: (error: unknown) => void;
}

type Publish = () => Promise<void>;
type News = VersionNews | MoveNews;

/**
 * Tells people and webhooks about new versions and moved aliases. Their rows say whether they were told, so it makes no
 * difference who made them, and a server that is killed loses nothing.
 */
export function createModelNews({ db, notifications, webhooks, publicUrl, report }: Dependencies) {
  /** The owner and the editors of the project, without the person who did it. */
  async function notify(
    trx: Db,
    news: News,
    notification: Pick<NewNotification, "kind" | "title" | "body">,
  ): Promise<Publish[]> {
    if (news.owner_id === null) return [];
    const accounts = new Set([news.owner_id, ...(await queries.editors(trx, news.project_id, limits.newsReaders))]);
    if (news.account_id !== null) accounts.delete(news.account_id);
    const publishes: Publish[] = [];
    for (const accountId of accounts) {
      const place = { modelId: news.model_id, projectId: news.project_id };
      const publish = await notifications.add(trx, { ...notification, ...place, accountId });
      if (publish) publishes.push(publish);
    }
    return publishes;
  }

  async function call(trx: Db, news: News, event: WebhookEvent, content: Record<string, unknown>): Promise<void> {
    // A deleted project has no owner. It calls nobody any more.
    if (news.owner_id === null) return;
    const path = `/designer/models/${news.model_id}`;
    const model = {
      id: news.model_id,
      name: news.model_name,
      url: publicUrl === undefined ? null : new URL(path, publicUrl).href,
    };
    const project = { id: news.project_id, name: news.project_name };
    const runId = "run_id" in news ? news.run_id : null;
    await webhooks.add(trx, {
      ...{ projectId: news.project_id, events: [event], runId },
      content: { model, ...content, by: news.author, project },
    });
  }

  async function notifyVersion(trx: Db, news: VersionNews): Promise<Publish[]> {
    const { number, metrics, created_at } = news;
    await call(trx, news, "model_version", {
      version: { number, metrics, run_id: news.run_id, time_created: created_at.toISOString() },
    });
    const name = firstMetric(Object.keys(metrics));
    const value = name === undefined ? undefined : metrics[name];
    const facts = typeof value === "number" ? ` ${name}: ${Number(value.toPrecision(6))}.` : "";
    return notify(trx, news, {
      kind: "model_version",
      title: `${news.model_name} has version ${number}`,
      body: `${news.author === "" ? "Added" : `By ${news.author}`} in ${news.project_name}.${facts}`,
    });
  }

  async function notifyMove(trx: Db, news: MoveNews): Promise<Publish[]> {
    const { alias, from_number: from, to_number: to, reason } = news;
    await call(trx, news, "model_alias", { alias, from, to, reason, time: news.moved_at.toISOString() });
    const why = reason === "" ? "" : ` ${reason}`;
    return notify(trx, news, {
      kind: "model_alias",
      title:
        to === null ? `${news.model_name} lost the alias ${alias}` : `${alias} of ${news.model_name} is version ${to}`,
      body: `${from === null ? "" : `Before, it was version ${from}. `}By ${news.author || "somebody"}.${why}`,
    });
  }

  async function notifySome<Item extends News>(
    take: (trx: Db, most: number) => Promise<Item[]>,
    mark: (trx: Db, notified: readonly Item[]) => Promise<void>,
    notifyOne: (trx: Db, item: Item) => Promise<Publish[]>,
  ): Promise<boolean> {
    const publishes: Publish[] = [];
    const count = await db.transaction().execute(async (trx) => {
      const items = await take(trx, limits.newsBatch);
      if (items.length === 0) return 0;
      for (const item of items) publishes.push(...(await notifyOne(trx, item)));
      await mark(trx, items);
      return items.length;
    });
    if (count > 0) webhooks.wake();
    for (const publish of publishes) await publish().catch(report);
    return count === limits.newsBatch;
  }

  async function notifyAll(): Promise<boolean> {
    const hasMoreVersions = await notifySome(queries.takeVersions, queries.markVersions, notifyVersion);
    return (await notifySome(queries.takeMoves, queries.markMoves, notifyMove)) || hasMoreVersions;
  }

  return createPolledWork({ work: notifyAll, every: limits.newsEvery, report });
}
