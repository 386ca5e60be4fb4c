import { schedule as limits } from "@miranda/contract/limits.ts";
import type { CallSummary } from "@miranda/contract/schemas/deployments/calls.ts";
import type {
  Schedule,
  ScheduleBody,
  SchedulePatch,
  SchedulePreview,
  SchedulePreviewBody,
  ScheduleTickPage,
  ScheduleTicksQuery,
} from "@miranda/contract/schemas/deployments/schedules.ts";
import type { FileValue } from "@miranda/contract/schemas/files.ts";

import { newId } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";
import { storableJson } from "../../platform/database/storable-json.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { UploadedFile } from "../../platform/http/bodies.ts";
import type { Caller } from "../../platform/http/caller.ts";
import { addWithinQuota } from "../../platform/limits/quota-lock.ts";
import type { CallRow } from "../calls/calls-service.ts";
import type { Deployments } from "../deployments/deployments-service.ts";
import type { NodeFiles } from "../nodes/files-service.ts";
import { skippedWords } from "./plan-ticks.ts";
import { checkTiming, nextTimes, sentenceOf, type Timing } from "./schedule-times.ts";
import { toSchedule, toTick } from "./schedule-view.ts";
import type { ScheduledCalls } from "./scheduled-calls.ts";
import { type ScheduleRow, scheduleQueries } from "./schedules-queries.ts";

interface Dependencies {
  db: Db;
  deployments: Pick<Deployments, "forManage">;
  scheduled: ScheduledCalls;
  files: Pick<NodeFiles, "storeUpload">;
  /** A call as its list shows it. */
  summaryOf: (caller: Caller, call: CallRow) => Promise<CallSummary>;
  /** Tells the people who look at the deployment. */
  announce: (deploymentId: string) => void;
}

export type Schedules = ReturnType<typeof createSchedules>;

/** The schedules of a deployment, for those who may release it. Calls are made in the name of who saved it last. */
export function createSchedules({ db, deployments, scheduled, files, summaryOf, announce }: Dependencies) {
  const queries = scheduleQueries(db);

  async function show(deploymentId: string, id: string): Promise<Schedule> {
    const row = await queries.find(deploymentId, id);
    if (!row) throw new AppError("schedule_not_found");
    return toSchedule(row, true);
  }

  async function getSchedule(caller: Caller, graphId: string, id: string) {
    const { deployment, right } = await deployments.forManage(caller, graphId, "read");
    const row = await queries.find(deployment.id, id);
    if (!row) throw new AppError("schedule_not_found");
    return { row, deployment, right };
  }

  return {
    async list(caller: Caller, graphId: string): Promise<Schedule[]> {
      const { deployment, right } = await deployments.forManage(caller, graphId, "read");
      return (await queries.list(deployment.id)).map((row) => toSchedule(row, right !== "read"));
    },

    async create(caller: Caller, graphId: string, body: ScheduleBody): Promise<Schedule> {
      const { deployment } = await deployments.forManage(caller, graphId, "release");
      const timing = readTiming(body);
      await scheduled.check(caller, { ...body, deployment_id: deployment.id });
      const id = newId();
      await addWithinQuota(db, { what: "schedules", owner: deployment.id }, async (trx) => {
        const inside = scheduleQueries(trx);
        if ((await inside.count(deployment.id)) >= limits.perDeployment) throw new AppError("too_many_schedules");
        const inputs = storableJson(body.inputs);
        const row = { ...body, ...timing, inputs, id, deployment_id: deployment.id, account_id: caller.accountId };
        await inside.insert({ ...row, next_at: nextAt(timing) });
      });
      announce(deployment.id);
      return show(deployment.id, id);
    },

    async change(caller: Caller, graphId: string, id: string, patch: SchedulePatch): Promise<Schedule> {
      const { deployment } = await deployments.forManage(caller, graphId, "release");
      const { cron, every_minutes, timezone, inputs, paused, ...plain } = patch;
      const isOnlyPause = paused === true && Object.keys(patch).length === 1;
      const found = await queries.find(deployment.id, id);
      if (!found) throw new AppError("schedule_not_found");
      if (inputs !== undefined || patch.channel !== undefined || (found.paused && paused === false)) {
        const called = { channel: patch.channel ?? found.channel, inputs: inputs ?? found.inputs };
        await scheduled.check(caller, { ...called, deployment_id: deployment.id });
      }
      await db.transaction().execute(async (trx) => {
        const inside = scheduleQueries(trx);
        const before = await inside.lock(deployment.id, id);
        if (!before) throw new AppError("schedule_not_found");
        const isTimed = cron !== undefined || every_minutes !== undefined || timezone !== undefined;
        const timing = isTimed ? readTiming({ ...before, ...withoutOther(patch) }) : before;
        const isPaused = paused ?? before.paused;
        const starts = !isPaused && (isTimed || before.paused);
        await inside.update(id, {
          ...plain,
          ...(isTimed && { cron: timing.cron, every_minutes: timing.every_minutes, timezone: timing.timezone }),
          ...(inputs && { inputs: storableJson(inputs) }),
          // Others' money must not be spent by changing what they made.
          ...(!isOnlyPause && { account_id: caller.accountId }),
          ...(paused !== undefined && { paused, paused_reason: "" }),
          ...(before.paused && !isPaused && { failures: 0 }),
          ...(isPaused ? { next_at: null } : starts && { next_at: nextAt(timing) }),
        });
        if (isPaused) await inside.dropWaiting([id], skippedWords.paused);
      });
      announce(deployment.id);
      return show(deployment.id, id);
    },

    async remove(caller: Caller, graphId: string, id: string): Promise<void> {
      const { deployment } = await deployments.forManage(caller, graphId, "release");
      if (!(await queries.remove(deployment.id, id))) throw new AppError("schedule_not_found");
      announce(deployment.id);
    },

    /** Calls it at once, in the caller's own name, also while it is paused. */
    async run(caller: Caller, graphId: string, id: string): Promise<CallSummary> {
      const { deployment } = await deployments.forManage(caller, graphId, "release");
      const row = await queries.find(deployment.id, id);
      if (!row) throw new AppError("schedule_not_found");
      const call = await scheduled.make(caller, { ...row, schedule_id: id });
      await queries.addCalled(id, call.created_at, call.id, `Run by ${caller.username}.`);
      announce(deployment.id);
      return summaryOf(caller, call);
    },

    async ticks(caller: Caller, graphId: string, id: string, query: ScheduleTicksQuery): Promise<ScheduleTickPage> {
      const { row } = await getSchedule(caller, graphId, id);
      const before = query.after === undefined ? undefined : new Date(query.after);
      if (before && Number.isNaN(before.getTime())) throw new AppError("page_key_unreadable");
      const rows = await queries.ticks(row.id, before, query.limit + 1);
      const shown = rows.slice(0, query.limit);
      return {
        ticks: shown.map(toTick),
        next: rows.length > query.limit ? (shown.at(-1)?.at.toISOString() ?? null) : null,
      };
    },

    preview(body: SchedulePreviewBody): SchedulePreview {
      const timing = readTiming(body);
      const next = nextTimes(timing, new Date(), limits.nextShown);
      return { sentence: sentenceOf(timing), next: next.map((time) => time.toISOString()) };
    },

    /** Stores a file that schedules of the deployment may send. The caller then gives its value for a field. */
    async addFile(caller: Caller, graphId: string, upload: UploadedFile): Promise<FileValue> {
      const { deployment } = await deployments.forManage(caller, graphId, "release");
      const value = await files.storeUpload(caller, upload);
      await queries.addFile(deployment.id, value.file);
      return value;
    },

    sweep: () => queries.sweep(),
  };
}

/** A cron expression replaces the minutes, and the other way round. */
function withoutOther({ cron, every_minutes, timezone }: SchedulePatch): Partial<Timing> {
  return {
    ...(typeof cron === "string" && { every_minutes: null }),
    ...(typeof every_minutes === "number" && { cron: null }),
    ...(cron !== undefined && { cron }),
    ...(every_minutes !== undefined && { every_minutes }),
    ...(timezone !== undefined && { timezone }),
  };
}

function readTiming({ cron, every_minutes, timezone }: Timing): Timing {
  const timing = { cron: cron?.trim().replaceAll(/\s+/g, " ") ?? null, every_minutes, timezone };
  checkTiming(timing);
  return timing;
}

function nextAt(timing: Pick<ScheduleRow, "cron" | "every_minutes" | "timezone">): Date | null {
  return nextTimes(timing, new Date(), 1)[0] ?? null;
}
