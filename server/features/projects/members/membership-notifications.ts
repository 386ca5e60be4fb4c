import type { Db } from "../../../platform/database/database.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import type { RateLimits } from "../../../platform/limits/rate-limits.ts";
import type { NotificationsFeature } from "../../notifications/notifications-service.ts";

type Publish = () => Promise<void>;

/** About a project or a team that somebody was let into, or lost. */
export interface MembershipNotification {
  accountId: string;
  projectId?: string;
  title: string;
  body: string;
}

interface Dependencies {
  db: Db;
  notifications: Pick<NotificationsFeature, "add">;
  rateLimits: Pick<RateLimits, "take">;
  perHour: number;
  report(error: unknown): void;
}

export type Notify = (notification: MembershipNotification) => Promise<void>;
export type ChangeMembership = ReturnType<typeof createMembershipNotifications>["changeMembership"];
export type AddNotification = ReturnType<typeof createMembershipNotifications>["add"];

export function createMembershipNotifications({ db, notifications, rateLimits, perHour, report }: Dependencies) {
  /** Stores a notification inside a transaction. Call what it returns after the transaction. */
  async function add(trx: Db, notification: MembershipNotification): Promise<Publish> {
    const publish = await notifications.add(trx, { ...notification, kind: "membership" });
    return async () => publish?.().catch(report);
  }

  /**
   * A transaction that may notify people. They hear of it after it is stored, and never of what was not. Rate-limited:
   * thousands of notifications would push the earlier ones out of somebody's list.
   */
  async function changeMembership<Result>(
    { accountId }: Caller,
    change: (trx: Db, notify: Notify) => Promise<Result>,
  ): Promise<Result> {
    await rateLimits.take([{ key: ["membership", accountId], most: perHour, windowMinutes: 60 }]);
    const publishes: Publish[] = [];
    const result = await db
      .transaction()
      .execute((trx) => change(trx, async (notification) => void publishes.push(await add(trx, notification))));
    for (const publish of publishes) await publish();
    return result;
  }

  return { add, changeMembership };
}
