import { trackingLimits as limits } from "../../../limits.ts";
import { newId } from "../../../platform/crypto.ts";
import type { Db } from "../../../platform/database/database.ts";
import type { Caller, JobOfCaller } from "../../../platform/http/caller.ts";
import type { TrackedStatus } from "../../../tables/tracking-tables.ts";
import { ensureTracked, lockTracked, type LockedRun } from "../../tracking/tracked-runs-queries.ts";
import type { Experiments } from "../experiments/experiments-service.ts";
import { checkKey, cut, entityLimits } from "../http/entity-names.ts";
import { invalid, MlflowError } from "../http/mlflow-error.ts";
import { readRuns } from "./read-runs-queries.ts";
import { noRun, toRunId } from "./run-ids.ts";
import { randomRunName } from "./run-names.ts";
import { type Pair, runQueries as queries, type TrackedRow } from "./runs-queries.ts";

export interface NewRun {
  experiment_id: string;
  user_id: string;
  run_name: string;
  start_time: number | undefined;
  tags: Pair[];
}

interface RunChange {
  status?: TrackedStatus | undefined;
  end_time?: number | undefined;
  run_name?: string | undefined;
}

export type TrackedRuns = ReturnType<typeof createTrackedRuns>;

const nameTag = "mlflow.runName";
const userTag = "mlflow.user";
/** What a client says of the account and the program it runs as. In a processor both are ours. */
const ofTheMachine = new Set([userTag, "mlflow.source.name", "mlflow.source.type"]);
const parentTag = "mlflow.parentRunId";

/** The runs of a project's experiments, as clients of MLflow see them. */
export function createTrackedRuns(db: Db, experiments: Pick<Experiments, "getActive">) {
  /** A run of a workflow is tracked from the first call that names it. */
  async function getRow(projectId: string, id: string): Promise<TrackedRow> {
    const known = await queries.find(db, projectId, id);
    if (known) return known;
    if (await queries.isOfWorkflow(db, projectId, id)) await db.transaction().execute((trx) => ensureTracked(trx, id));
    const row = await queries.find(db, projectId, id);
    if (!row) throw noRun(id);
    return row;
  }

  /** Changes an active run. Two clients that change the same one wait for each other. */
  async function change<Result>(
    projectId: string,
    id: string,
    work: (trx: Db, run: LockedRun) => Promise<Result>,
    needed: "active" | "deleted" = "active",
  ): Promise<Result> {
    return db.transaction().execute(async (trx) => {
      let run = await lockTracked(trx, id);
      if (!run && (await queries.isOfWorkflow(trx, projectId, id))) run = await ensureTracked(trx, id);
      if (!run || run.project_id !== projectId) throw noRun(id);
      const state = run.deleted_at === null ? "active" : "deleted";
      if (state !== needed)
        throw invalid(`The run ${toRunId(id)} must be in the '${needed}' state. Current state is ${state}.`);
      return work(trx, run);
    });
  }

  async function setTags(trx: Db, runId: string, tags: readonly Pair[]): Promise<void> {
    if (tags.length === 0) return;
    await queries.setTags(trx, runId, tags);
    const name = tags.find(({ key }) => key === nameTag);
    if (name) await queries.update(trx, runId, { name: cut(name.value, entityLimits.runName) });
    if ((await queries.countTexts(trx, "tracked_tags", runId)) > limits.tagsPerRun)
      throw new MlflowError("RESOURCE_LIMIT_EXCEEDED", `A run can have at most ${limits.tagsPerRun} tags.`);
  }

  /**
   * The first run that node code starts is the run of its workflow: what it logs is found there. It is in the experiment
   * that the code has chosen. Undefined when it is taken already, and for a run below another one.
   */
  async function takeOwn(job: JobOfCaller, experiment: number, name: string | undefined, tags: readonly Pair[]) {
    const { runId } = job;
    if (runId === null || tags.some(({ key }) => key === parentTag)) return undefined;
    return db.transaction().execute(async (trx) => {
      if (!(await ensureTracked(trx, runId)) || !(await queries.take(trx, runId, experiment))) return undefined;
      await setTags(trx, runId, name ? [...tags, { key: nameTag, value: cut(name, entityLimits.runName) }] : tags);
      return runId;
    });
  }

  return {
    change,
    setTags,
    getRow,
    findRow: (projectId: string, id: string) => queries.find(db, projectId, id),

    /** As the JSON that clients get. */
    async getRun(projectId: string, id: string): Promise<string> {
      await getRow(projectId, id);
      const [run] = await readRuns(db, [id]);
      if (run === undefined) throw noRun(id);
      return run;
    },

    async create(caller: Caller, projectId: string, given: NewRun, node: number | null): Promise<string> {
      const { number } = await experiments.getActive(projectId, given.experiment_id);
      const tags = checkTags(given.tags);
      const tagged = tags.find(({ key }) => key === nameTag)?.value;
      if (given.run_name && tagged && tagged !== given.run_name)
        throw invalid(
          `Both 'run_name' argument and 'mlflow.runName' tag are specified, but with different values (run_name='${given.run_name.slice(0, 200)}', mlflow.runName='${tagged.slice(0, 200)}').`,
        );
      const name = cut(given.run_name || tagged || randomRunName(), entityLimits.runName);
      const user = tags.find(({ key }) => key === userTag)?.value;
      const id = newId();
      const kept = tags.filter(({ key }) => key !== nameTag && !(caller.job && ofTheMachine.has(key)));
      const own = caller.job && (await takeOwn(caller.job, number, given.run_name || tagged, kept));
      if (own) return own;
      await db.transaction().execute(async (trx) => {
        // Counting reads all of them, so only some calls do.
        const isCounted = Math.random() < 0.02;
        if (isCounted && (await queries.countUpTo(trx, projectId, limits.runsPerProject)) >= limits.runsPerProject)
          throw new MlflowError("RESOURCE_LIMIT_EXCEEDED", `A project can have at most ${limits.runsPerProject} runs.`);
        await queries.insert(trx, {
          ...{ id, project_id: projectId, experiment: number, name },
          run_id: caller.job?.runId ?? null,
          node_id: node,
          account_id: caller.accountId,
          user_name: cut((!caller.job && (given.user_id || user)) || caller.username, 256),
          began_at: timeOf(given.start_time ?? Date.now(), "start_time"),
        });
        await setTags(trx, id, [...parentOf(caller.job, kept), ...kept, { key: nameTag, value: name }]);
      });
      return id;
    },

    async update(projectId: string, id: string, given: RunChange): Promise<void> {
      const name = given.run_name === undefined || given.run_name === "" ? undefined : given.run_name;
      const ended = given.end_time === undefined ? undefined : timeOf(given.end_time, "end_time");
      const row = await getRow(projectId, id);
      // A run of a workflow ends when the workflow does: a node that ends its part of it must not end the others'.
      const isOwn = row.run_id !== row.id;
      await change(projectId, id, async (trx) => {
        await queries.update(trx, id, {
          ...(isOwn && given.status && { status: given.status }),
          ...(isOwn && ended && { ended_at: ended }),
          ...(isOwn && given.status === "RUNNING" && !ended && { ended_at: null }),
        });
        if (name !== undefined) await setTags(trx, id, [{ key: nameTag, value: cut(name, entityLimits.runName) }]);
      });
    },

    remove: (projectId: string, id: string): Promise<void> =>
      change(projectId, id, (trx) => queries.update(trx, id, { deleted_at: new Date() })),

    restore: (projectId: string, id: string): Promise<void> =>
      change(projectId, id, (trx) => queries.update(trx, id, { deleted_at: null }), "deleted"),
  };
}

/** What else node code starts is shown below the run of its workflow. */
function parentOf(job: JobOfCaller | undefined, tags: readonly Pair[]): Pair[] {
  if (!job?.runId || tags.some(({ key }) => key === parentTag)) return [];
  return [{ key: parentTag, value: toRunId(job.runId) }];
}

/** Tags as they are stored. The last one of a key counts. */
export function checkTags(tags: readonly Pair[]): Pair[] {
  const kept = new Map<string, string>();
  for (const [at, { key, value }] of tags.entries()) {
    checkKey(key, `tags[${at}].key`);
    kept.set(key, cut(value, entityLimits.tagValue));
  }
  return Array.from(kept, ([key, value]) => ({ key, value }));
}

/** The database and JavaScript know no later times. */
export function timeOf(milliseconds: number, name: string): Date {
  if (!Number.isSafeInteger(milliseconds) || Math.abs(milliseconds) > latest)
    throw invalid(`Invalid value ${milliseconds} for parameter '${name}' supplied: it is no time in milliseconds.`);
  return new Date(milliseconds);
}

// The year 9999: PostgreSQL has no room for much earlier or later ones.
const latest = 253_402_300_799_999;
