import type { ExceptionFrame } from "@miranda/contract/protocol/worker.ts";
import { type Nano, writeCredits } from "@miranda/contract/billing/credits.ts";
import type { RunSource, RunState, RunUsage } from "@miranda/contract/schemas/runs.ts";
import { sql } from "kysely";

import { housekeeping, runHistory as limits } from "../../limits.ts";
import type { Db } from "../../platform/database/database.ts";
import { storableJson, storableText } from "../../platform/database/storable-json.ts";
import type { Trial } from "../../tables/run-tables.ts";

/** A run that has not ended. A session has at most one. */
export interface AliveRun {
  id: string;
  number: number;
  /** The command that began it. */
  command: number;
  state: RunState;
  repeats: string | null;
  /** What it repeats, or what it was given once that is a version. */
  version_id: string | null;
  account_id: string | null;
  trial: Trial | null;
}

/** What samples used. */
export interface Used {
  cost: Nano;
  cpuSeconds: number;
  ramGbSeconds: number;
}

/** A run of a session that serves calls. */
export interface ServedRun extends AliveRun {
  source: RunSource;
  payer_id: string | null;
  budget: number | null;
  cost: number;
  began_at: Date;
  ended_at: Date | null;
}

export interface NewRun {
  id: string;
  graph_id: string;
  account_id: string;
  job_id: string;
  session_tag: number;
  session_name: string;
  number: number;
  command: number;
  mode: string;
  target: number | null;
  repeats: string | null;
  /** What it repeats. */
  version_id: string | null;
  trial: Trial | null;
  budget: number | null;
  first_sample: number;
  first_line: number;
  /** How long it has waited, in seconds. */
  waited: number;
}

export interface PlannedNode {
  node: number;
  run: boolean;
  reason: string;
  result: string | null;
}

export interface NodeReport {
  node: number;
  status: string;
  seconds: number;
  fires: number;
  spans: readonly (readonly [number, number, number])[];
  seed: number | null;
}

/** A node as it is stored: of the plan, of a report, or of both. */
export interface NodeRow extends Omit<PlannedNode, "reason">, Omit<NodeReport, "node"> {
  reason: string;
  /** Undefined: the one that it has now. */
  name: string | undefined;
  isReported: boolean;
}

export interface ReportedException {
  node: number | null;
  line: number;
  function: string;
  traceback: string;
  frames: readonly ExceptionFrame[];
}

/** The last of a run in its session. Null: the session's last one so far. */
export interface LastOf {
  lastLine: number | null;
  lastSample: number | null;
}

/** The end of a run as it is stored. */
interface StoredEnd {
  state: RunState;
  reason: string;
  packages: string;
  usage: string | null;
  last: LastOf;
  used: Used | undefined;
  python: string | undefined;
}

export interface Unversioned {
  id: string;
  graph_id: string;
  account_id: string | null;
  graph_revision: number;
}

const budgetInterrupted = "It reached its limit and could not be paused, so it was interrupted.";

const aliveColumns = ["id", "number", "command", "state", "repeats", "version_id", "account_id", "trial"] as const;

/** The name that a node has, or had in the run that is repeated. */
const nameIn = (runId: string) => sql`coalesce(
  (select past.name from run_nodes as past join runs on runs.id = ${runId}::uuid
    where past.run_id = runs.repeats and past.node_id = given.node),
  (select name from nodes where metadata_id = given.node), '')`;

/** What became of the nodes of a run. One that still runs at the end is stopped. */
const countedNodes = (runId: string, isEnd = false) => sql`(select
    count(*) filter (where planned and (status in ('done', 'error', 'stopped') or (${isEnd} and status = 'running')))::integer
      as run,
    count(*) filter (where not planned)::integer as skipped,
    count(*) filter (where status = 'error')::integer as failed,
    count(*) filter (where not planned and result is not null)::integer as kept,
    min(node_id) filter (where status = 'error') as failed_node
  from run_nodes where run_id = ${runId}) as counted`;

/** With the time since it began, of which a node that did not end by itself has told nothing. */
const stoppedSeconds = sql`run_nodes.seconds
  + coalesce(greatest(0, extract(epoch from now() - run_nodes.running_since))::double precision, 0)`;

const installedSeconds = sql`installing_seconds
  + coalesce(extract(epoch from now() - installing_since)::double precision, 0)`;

const counts = sql`nodes_run = counted.run, nodes_skipped = counted.skipped, nodes_failed = counted.failed,
  nodes_kept = counted.kept, failed_node = coalesce(runs.failed_node,
    (select node_id from run_exceptions where run_id = runs.id and node_id is not null order by number limit 1),
    counted.failed_node)`;

/** Writes what sessions report about runs. Always inside a transaction that holds the lock of the session. */
export const runRecords = {
  findAlive: (db: Db, jobId: string): Promise<AliveRun | undefined> =>
    db
      .selectFrom("runs")
      .select(aliveColumns)
      .where("job_id", "=", jobId)
      .where("ended_at", "is", null)
      .executeTakeFirst(),

  /** The call that a session serves, and those of these numbers that have just ended: their last sample comes later. */
  findServed: async (trx: Db, jobId: string, numbers: readonly number[]): Promise<ServedRun[]> => {
    const { rows } = await sql<ServedRun>`
      select id, number, command, state, repeats, version_id, account_id, trial, payer_id, source, budget, cost, began_at,
        ended_at
      from runs where job_id = ${jobId} and (ended_at is null
        or (number = any(${numbers}::integer[]) and ended_at > now() - interval '1 minute'))`.execute(trx);
    return rows;
  },

  /** False when the workflow has been deleted. */
  insert: async (trx: Db, run: NewRun): Promise<boolean> => {
    const { numAffectedRows } = await sql`
      insert into runs (id, graph_id, account_id, job_id, session_tag, session_name, number, command, mode, target,
        repeats, version_id, trial, budget, first_sample, first_line, waited_seconds, graph_revision)
      select ${run.id}::uuid, id, ${run.account_id}::uuid, ${run.job_id}::uuid, ${run.session_tag}::bigint,
        ${run.session_name}, ${run.number}::integer, ${run.command}::integer, ${run.mode}, ${run.target}::bigint,
        ${run.repeats}::uuid, ${run.version_id}::uuid, ${run.trial && JSON.stringify(run.trial)}::jsonb, ${run.budget}::double precision, ${run.first_sample}::bigint,
        ${run.first_line}::bigint, ${run.waited}::double precision,
        coalesce((select version.revision from graph_versions as version where id = ${run.version_id}::uuid),
          graphs.revision)
      from graphs where id = ${run.graph_id}`.execute(trx);
    if (run.version_id !== null)
      await sql`update graph_versions set runs = runs + 1, last_run_at = now() where id = ${run.version_id}`.execute(
        trx,
      );
    return numAffectedRows === 1n;
  },

  /**
   * Only the first plan of a run counts: rows that are there stay as they are, except for what is reported of them. Times
   * and spans come when a node ends. A report without them leaves those of before.
   */
  saveNodes: async (trx: Db, runId: string, nodes: readonly NodeRow[]): Promise<void> => {
    await sql`
      insert into run_nodes
        (run_id, node_id, name, planned, reason, status, result, seconds, fires, spans, seed, running_since)
      select ${runId}::uuid, given.node, coalesce(given.name, ${nameIn(runId)}), given.run, given.reason, given.status,
        given.result, given.seconds, given.fires, given.spans, given.seed,
        case given.status when 'running' then now() end
      from jsonb_to_recordset(${storableJson(nodes)}::jsonb) as given(node bigint, name text, run boolean, reason text,
        result text, status text, seconds double precision, fires integer, spans jsonb, seed bigint)
      on conflict (run_id, node_id) do update set status = excluded.status, planned = true,
        seconds = case when excluded.status in ('stopped', 'error') and excluded.seconds <= run_nodes.seconds
          then ${stoppedSeconds} else greatest(run_nodes.seconds, excluded.seconds) end,
        running_since = case when excluded.status = 'running' then coalesce(run_nodes.running_since, now()) end,
        fires = greatest(run_nodes.fires, excluded.fires),
        spans = case when excluded.spans = '[]' then run_nodes.spans else excluded.spans end,
        seed = coalesce(excluded.seed, run_nodes.seed)
        where excluded.node_id = any(${nodes.filter(({ isReported }) => isReported).map(({ node }) => node)}::bigint[])`.execute(
      trx,
    );
  },

  /** The first ones of a run. Returns how many there are now. */
  saveExceptions: async (trx: Db, runId: string, exceptions: readonly ReportedException[]): Promise<void> => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from run_exceptions where run_id = ${runId}`.execute(trx);
    const count = rows[0]?.count ?? 0;
    const added = exceptions.slice(0, Math.max(0, limits.exceptions - count));
    for (const [at, { node, line, function: name, traceback, frames }] of added.entries())
      await trx
        .insertInto("run_exceptions")
        .values({
          run_id: runId,
          number: count + at + 1,
          node_id: node,
          line,
          function: storableText(name),
          traceback: storableText(traceback.slice(-limits.tracebackMax)),
          frames: storableJson(frames),
        })
        .execute();
  },

  /** The nodes that were running when the worker died. */
  markFailed: async (trx: Db, runId: string, nodes: readonly number[]): Promise<void> => {
    await sql`
      insert into run_nodes (run_id, node_id, name, planned, status)
      select ${runId}::uuid, given.node, ${nameIn(runId)}, true, 'error' from unnest(${nodes}::bigint[]) as given(node)
      on conflict (run_id, node_id) do update set status = 'error', planned = true`.execute(trx);
  },

  countNodes: async (trx: Db, runId: string, python: string | undefined): Promise<void> => {
    await sql`update runs set ${counts}, python = coalesce(${python ?? null}, python) from ${countedNodes(runId)}
      where runs.id = ${runId}`.execute(trx);
  },

  addCost: async (trx: Db, runId: string, used: Used): Promise<void> => {
    await sql`update runs set cost = cost + ${writeCredits(used.cost)}::numeric, cpu_seconds = cpu_seconds + ${used.cpuSeconds},
      ram_gb_seconds = ram_gb_seconds + ${used.ramGbSeconds} where id = ${runId}`.execute(trx);
  },

  /** Packages begin or end to be installed. False when that is known. */
  setInstalling: async (trx: Db, runId: string, isInstalling: boolean): Promise<boolean> => {
    const { numAffectedRows } = isInstalling
      ? await sql`update runs set installing_since = now() where id = ${runId} and installing_since is null`.execute(
          trx,
        )
      : await sql`update runs set installing_seconds = ${installedSeconds}, installing_since = null
          where id = ${runId} and installing_since is not null`.execute(trx);
    return numAffectedRows === 1n;
  },

  /** Whether this sample is the one after the end of the run. Each sample is stored once, so this holds once. */
  isLastSample: async (trx: Db, runId: string, sample: number): Promise<boolean> => {
    const run = await trx
      .selectFrom("runs")
      .select("id")
      .where("id", "=", runId)
      .where("last_sample", "=", sample - 1)
      .where("ended_at", ">", sql<Date>`now() - interval '1 minute'`)
      .executeTakeFirst();
    return run !== undefined;
  },

  saveUsage: async (trx: Db, runId: string, usage: RunUsage | null): Promise<void> => {
    await trx
      .updateTable("runs")
      .set({ usage: usage && JSON.stringify(usage) })
      .where("id", "=", runId)
      .execute();
  },

  setState: async (trx: Db, runId: string, state: RunState): Promise<void> => {
    await trx.updateTable("runs").set({ state }).where("id", "=", runId).where("ended_at", "is", null).execute();
  },

  firstTraceback: async (trx: Db, runId: string): Promise<string | undefined> => {
    const found = await trx
      .selectFrom("run_exceptions")
      .select("traceback")
      .where("run_id", "=", runId)
      .orderBy("number")
      .limit(1)
      .executeTakeFirst();
    return found?.traceback;
  },

  /** Nothing waits or runs any more. False when the run has ended already. */
  end: async (trx: Db, runId: string, given: StoredEnd): Promise<boolean> => {
    const { state, reason, last, packages, usage, used, python } = given;
    const { lastLine, lastSample } = last;
    const { numAffectedRows } = await sql`
      with settled as (
        update run_nodes set status = case status when 'running' then 'stopped' else 'idle' end,
          seconds = ${stoppedSeconds}, running_since = null
        where run_id = ${runId} and status in ('waiting', 'running')
      ), tracked as (
        -- What it logged ends with it, and so does what its code began and did not end.
        update tracked_runs set ended_at = now(), status = case ${state} when 'done' then 'FINISHED'
          when 'failed' then 'FAILED' when 'crashed' then 'FAILED' else 'KILLED' end
        where run_id = ${runId} and (id = run_id or ended_at is null)
      )
      update runs set ${counts}, state = ${state}, ended_at = now(), installing_seconds = ${installedSeconds},
        installing_since = null, budget_asked_at = null, budget_question = null,
        reason = case when calls_end.ending is not null and ${state} in ('stopped', 'lost') then calls_end.ending
          when (budget_question -> 'interrupted')::boolean then ${budgetInterrupted}
          else ${storableText(reason).slice(0, limits.reasonMax)} end,
        last_line = greatest(coalesce(${lastLine}::bigint, (select last_line from jobs where jobs.id = runs.job_id)),
          first_line - 1), packages = ${packages}::jsonb, usage = ${usage}::jsonb,
        last_sample = coalesce(${lastSample}::bigint, (select last_sample from jobs where jobs.id = runs.job_id)),
        output_bytes = coalesce((select sum(bytes) from job_outputs
          where job_outputs.job_id = runs.job_id and job_outputs.run = runs.number), 0),
        cost = cost + ${writeCredits(used?.cost ?? 0n)}::numeric, cpu_seconds = cpu_seconds + ${used?.cpuSeconds ?? 0},
        ram_gb_seconds = ram_gb_seconds + ${used?.ramGbSeconds ?? 0}, python = coalesce(${python ?? null}, python)
      from ${countedNodes(runId, true)}, (select (select ending from calls where id = ${runId}) as ending) as calls_end
      where runs.id = ${runId} and ended_at is null`.execute(trx);
    return numAffectedRows === 1n;
  },

  /** How the last run of a session ended. */
  tellSession: async (trx: Db, runId: string, state: RunState): Promise<void> => {
    await sql`update jobs set last_run_state = ${state} from runs
      where runs.id = ${runId} and jobs.id = runs.job_id and jobs.last_run_id = runs.id`.execute(trx);
  },

  /** The runs of sessions that have ended, or are gone: nobody will report their end. */
  listForgotten: async (db: Db): Promise<{ id: string; job_id: string }[]> => {
    const { rows } = await sql<{ id: string; job_id: string }>`
      select runs.id, runs.job_id from runs left join jobs on jobs.id = runs.job_id
      where runs.ended_at is null and (jobs.id is null or jobs.state in ('ERROR', 'EXITED'))`.execute(db);
    return rows;
  },

  listUnversioned: async (db: Db): Promise<Unversioned[]> => {
    const { rows } = await sql<Unversioned>`
      select id, graph_id, account_id, graph_revision from runs
      where version_id is null and began_at > now() - interval '2 days'
      order by began_at limit ${housekeeping.rows}`.execute(db);
    return rows;
  },

  linkVersion: async (db: Db, runIds: readonly string[], versionId: string, revision: number): Promise<void> => {
    await sql`update runs set version_id = ${versionId}, graph_revision = ${revision}
      where id = any(${runIds}::uuid[]) and exists (select from graph_versions where id = ${versionId})`.execute(db);
  },

  /** What a command repeats: the version, the mode and the packages of a run of this workflow. */
  findRepeated: (db: Db, graphId: string, runId: string) =>
    db
      .selectFrom("runs")
      .select(["id", "version_id", "mode", "target", "packages"])
      .where("id", "=", runId)
      .where("graph_id", "=", graphId)
      .executeTakeFirst(),

  /** Those of these nodes that were in these runs. They may be deleted by now. */
  knownNodes: async (trx: Db, runIds: readonly string[], nodes: readonly number[]): Promise<number[]> => {
    const { rows } = await sql<{ node_id: number }>`select distinct node_id from run_nodes
      where run_id = any(${runIds}::uuid[]) and node_id = any(${nodes}::bigint[])`.execute(trx);
    return rows.map(({ node_id }) => node_id);
  },
};
