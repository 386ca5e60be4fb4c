import type { Db } from "../../platform/database/database.ts";
import type { NotificationsFeature } from "../notifications/notifications-service.ts";
import type { Projects } from "../projects/projects-service.ts";
import { eachAccount } from "../projects/projects-queries.ts";
import { skippedWords } from "./plan-ticks.ts";
import { type FailingSchedule, scheduleTickQueries } from "./schedule-ticks-queries.ts";
import { scheduleQueries } from "./schedules-queries.ts";

export type Publish = () => Promise<void>;

interface Dependencies {
  notifications: Pick<NotificationsFeature, "add">;
  projects: Pick<Projects, "accessExpression">;
}

interface Failure {
  reason: string;
  /** The run that failed; undefined when there was no run. */
  runId?: string | undefined;
}

export type ScheduleFailures = ReturnType<typeof createScheduleFailures>;

/** Counts failures in a row, pauses a schedule after too many, and tells people: of the first one, and of the pause. */
export function createScheduleFailures({ notifications, projects }: Dependencies) {
  const access = projects.accessExpression(eachAccount);

  async function notify(
    trx: Db,
    schedule: FailingSchedule,
    what: string,
    { reason, runId }: Failure,
  ): Promise<Publish[]> {
    const { told, account_id, owner_id, project_id, name, title } = schedule;
    if (told === "nobody") return [];
    const inside = scheduleTickQueries(trx);
    const find = (id: string | null, editors = false) =>
      inside.peopleOf(access, { project_id, ids: id === null ? [] : [id], editors });
    let people = await find(told === "creator" ? account_id : owner_id, told === "editors");
    // Whoever made it may be gone, or may no longer read this.
    if (people.length === 0) people = await find(owner_id);
    const publishes: Publish[] = [];
    for (const accountId of people) {
      const publish = await notifications.add(trx, {
        ...{ accountId, kind: "schedule_failed", projectId: project_id, title: `${name} ${what}` },
        body: `${title}: ${reason}`,
        ...(runId !== undefined && { runId }),
      });
      if (publish) publishes.push(publish);
    }
    return publishes;
  }

  async function pauseNow(trx: Db, id: string, failures: number, reason: string): Promise<void> {
    const inside = scheduleQueries(trx);
    await inside.update(id, { failures, paused: true, paused_reason: reason, next_at: null });
    await inside.dropWaiting([id], skippedWords.paused);
  }

  return {
    /** Inside a transaction. Call what it returns afterwards. */
    async count(trx: Db, id: string, failure: Failure): Promise<Publish[]> {
      const schedule = await scheduleTickQueries(trx).lockFailing(id);
      if (!schedule || schedule.paused) return [];
      const failures = schedule.failures + 1;
      const { failures_max: most } = schedule;
      if (most > 0 && failures >= most) {
        const times = failures === 1 ? "a failure" : `${failures} failures in a row`;
        await pauseNow(trx, id, failures, `Paused after ${times}. The last one: ${failure.reason}`);
        return notify(trx, schedule, `was paused after ${times}`, failure);
      }
      await scheduleQueries(trx).update(id, { failures });
      return failures === 1 ? notify(trx, schedule, "failed", failure) : [];
    },

    /** It cannot go on, however often it is tried. Inside a transaction. */
    async pause(trx: Db, id: string, reason: string): Promise<Publish[]> {
      const schedule = await scheduleTickQueries(trx).lockFailing(id);
      if (!schedule || schedule.paused) return [];
      await pauseNow(trx, id, schedule.failures, reason);
      return notify(trx, schedule, "was paused", { reason });
    },

    async succeeded(trx: Db, id: string): Promise<void> {
      await scheduleQueries(trx).update(id, { failures: 0 });
    },
  };
}
