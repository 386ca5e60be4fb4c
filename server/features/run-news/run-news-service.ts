import { reachedWords } from "@miranda/contract/words/budget-words.ts";
import type { WebhookEvent } from "@miranda/contract/schemas/news/webhooks.ts";

import { runNews as limits } from "../../limits.ts";
import type { Db } from "../../platform/database/database.ts";
import { createPolledWork } from "../../platform/polled-work.ts";
import type { NotificationsFeature, NewNotification } from "../notifications/notifications-service.ts";
import { eachAccount } from "../projects/projects-queries.ts";
import type { Projects } from "../projects/projects-service.ts";
import type { WebhookDeliveries } from "../webhooks/webhook-deliveries-service.ts";
import { createRunNewsQueries, type NewsRow } from "./run-news-queries.ts";
import { runTimes } from "../runs/run-times.ts";
import { endWords, webhookRun } from "./run-words.ts";

interface Dependencies {
  db: Db;
  projects: Pick<Projects, "accessExpression">;
  notifications: Pick<NotificationsFeature, "add">;
  webhooks: Pick<WebhookDeliveries, "add" | "wake">;
  publicUrl: string | undefined;
  /** The currency sign. */
  currency: string;
  report: (error: unknown) => void;
}

type Publish = () => Promise<void>;

export type RunNews = ReturnType<typeof createRunNews>;

/**
 * Tells people and webhooks what happened to runs. The run's row says whether it was told, so a server that is killed
 * loses nothing, and of several servers one tells.
 */
export function createRunNews({ db, projects, notifications, webhooks, publicUrl, currency, report }: Dependencies) {
  const queries = createRunNewsQueries(projects.accessExpression(eachAccount));

  async function notify(
    trx: Db,
    notification: Omit<NewNotification, "accountId">,
    accounts: Set<string | null>,
  ): Promise<Publish[]> {
    const publishes: Publish[] = [];
    for (const accountId of accounts) {
      if (accountId === null) continue;
      const publish = await notifications.add(trx, { ...notification, accountId });
      if (publish) publishes.push(publish);
    }
    return publishes;
  }

  async function call(trx: Db, run: NewsRow, events: readonly WebhookEvent[], more: object = {}): Promise<void> {
    // A deleted project has no owner. It calls nobody any more.
    if (run.owner_id === null) return;
    const content = { run: webhookRun(run, { publicUrl, currency }), ...more };
    await webhooks.add(trx, { projectId: run.project_id, events, runId: run.id, content });
  }

  async function notifyEnd(trx: Db, run: NewsRow): Promise<Publish[]> {
    const isBad = run.state === "failed" || run.state === "crashed" || run.state === "lost";
    await call(trx, run, isBad ? ["run_ended", "run_failed"] : ["run_ended"]);
    const notification = {
      kind: isBad ? "run_failed" : "run_ended",
      runId: run.id,
      seconds: runTimes(run).took,
    } as const;
    return notify(trx, { ...notification, ...endWords(run, currency) }, new Set([run.account_id]));
  }

  async function notifyAsked(trx: Db, run: NewsRow): Promise<Publish[]> {
    if (!run.question) return [];
    const { limit, spent, of } = run.question;
    await call(trx, run, ["budget_reached"], { budget: { limit, spent, of } });
    const notification = { kind: "budget_reached", runId: run.id, title: `${run.graph_name} waits for you` } as const;
    const body = `${reachedWords(run.question, currency)} Let it continue, or stop it.`;
    return notify(trx, { ...notification, body }, new Set([run.account_id, run.owner_id]));
  }

  async function notifySome(
    take: (trx: Db, most: number) => Promise<NewsRow[]>,
    what: "told_at" | "budget_told_at",
    notifyOne: (trx: Db, run: NewsRow) => Promise<Publish[]>,
  ): Promise<boolean> {
    const publishes: Publish[] = [];
    const count = await db.transaction().execute(async (trx) => {
      const runs = await take(trx, limits.batch);
      if (runs.length === 0) return 0;
      for (const run of runs) publishes.push(...(await notifyOne(trx, run)));
      const ids = runs.map(({ id }) => id);
      await queries.markTold(trx, ids, what);
      return runs.length;
    });
    if (count > 0) webhooks.wake();
    for (const publish of publishes) await publish().catch(report);
    return count === limits.batch;
  }

  async function notifyAll(): Promise<boolean> {
    const hasMoreAsked = await notifySome(queries.takeAsked, "budget_told_at", notifyAsked);
    return (await notifySome(queries.takeEnded, "told_at", notifyEnd)) || hasMoreAsked;
  }

  return createPolledWork({ work: notifyAll, every: limits.every, report });
}
