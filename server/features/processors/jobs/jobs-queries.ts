import type { AgentCommand } from "@miranda/contract/protocol/agent.ts";
import { isAlive, statesBefore, type WorkflowState } from "@miranda/contract/processor.ts";
import { type Selectable, sql, type SqlBool, type Updateable } from "kysely";

import type { JobsTable } from "../../../tables/session-tables.ts";
import { queueLock } from "../../../platform/database/advisory-locks.ts";
import type { Db } from "../../../platform/database/database.ts";
import { isAliveSql } from "../../../platform/database/job-states-queries.ts";
import { limitSql, processorsInAllSql } from "../../../platform/limits/account-limits-queries.ts";
import { isFree } from "../../../platform/installation/installation-queries.ts";

export type JobRow = Selectable<JobsTable>;

/** Who hears of a session: the people in its workflow, or of one that serves calls those in its deployment. */
export const roomOf = ({ deployment_id, graph_id }: Pick<JobRow, "deployment_id" | "graph_id">): string | null =>
  deployment_id ?? graph_id;

/** The workflow whose canvas shows what the session does. Calls are not shown there. */
export const canvasOf = ({ deployment_id, graph_id }: Pick<JobRow, "deployment_id" | "graph_id">): string | null =>
  deployment_id === null ? graph_id : null;

const now = sql<Date>`now()`;
/** Not launched yet. A launch that waits for its engine or a machine is QUEUED too, and takes up room. */
export const isInQueue = sql<SqlBool>`(state in ('QUEUED', 'UNINITIALIZED') and engine_ref is null and engine_away_since is null)`;

/** In seconds: for how long a session of an app has had nothing to do before it gives up its place. */
const idleInTheWay = 2;

export interface Limits {
  most: number;
  mostPerAccount: number;
}

export function createJobQueries(db: Db) {
  return {
    find: (id: string): Promise<JobRow | undefined> =>
      db.selectFrom("jobs").selectAll().where("id", "=", id).executeTakeFirst(),

    /** Those that are alive, or ended a moment ago. */
    findOwned: async (ids: string[], lastWords: number): Promise<Set<string>> => {
      const found = await db
        .selectFrom("jobs")
        .select("id")
        .where("id", "=", sql<string>`any(${ids})`)
        .where(sql<SqlBool>`(${isAliveSql()} or ended_at > now() - make_interval(secs => ${lastWords}))`)
        .execute();
      return new Set(found.map(({ id }) => id));
    },

    /**
     * The processor of a graph's editor: its living job, else its newest. Not simply the newest: a job that waited during its
     * creation may have a lower id than one that has ended, and nobody could stop it.
     */
    findOfGraph: (graphId: string): Promise<JobRow | undefined> =>
      db
        .selectFrom("jobs")
        .selectAll()
        .where(
          "id",
          "=",
          sql<string>`coalesce(
            (select id from jobs where graph_id = ${graphId} and deployment_id is null and ${isAliveSql()} limit 1),
            (select id from jobs where graph_id = ${graphId} and deployment_id is null order by id desc limit 1))`,
        )
        .executeTakeFirst(),

    listAlive: () => db.selectFrom("jobs").selectAll().where(isAliveSql()).execute(),

    insert: (
      trx: Db,
      row: { id: string; tag: number; graph_id: string; account_id: string; name: string; engine: string } & {
        description: string;
        demand: string;
        cpu_capacity: number;
        ram_gb_capacity: number;
        deployment_id?: string;
        release_id?: string;
        for_run?: boolean;
        purse_id: string | null;
      },
    ) =>
      trx
        .insertInto("jobs")
        .values({ ...row, state: "QUEUED", total_cost: null, token_hash: null })
        .returningAll()
        .executeTakeFirstOrThrow(),

    /** Locks the account: two starts at once must not both see the same credits. Undefined when it is disabled. */
    lockAccount: (trx: Db, accountId: string) =>
      trx
        .selectFrom("accounts")
        .select(["credits", "trial", "trial_end", "subscribed"])
        .select(isFree.as("is_free"))
        .where("id", "=", accountId)
        .where("disabled_at", "is", null)
        .forNoKeyUpdate()
        .executeTakeFirst(),

    /**
     * Locks the graph's living job. Jobs are locked before accounts everywhere: otherwise an insert that waits for a
     * job's lock while holding its account's would deadlock.
     */
    lockAliveOf: (trx: Db, graphId: string) =>
      trx
        .selectFrom("jobs")
        .select(["id", "tag"])
        .where("graph_id", "=", graphId)
        .where("deployment_id", "is", null)
        .where(isAliveSql())
        .forNoKeyUpdate()
        .executeTakeFirst(),

    /** The living sessions that an account or a purse pays for. */
    countAliveOf: async (trx: Db, payer: { accountId: string; purseId: string | null }) => {
      const row = await trx
        .selectFrom("jobs")
        .select(sql<number>`count(*)`.as("count"))
        .$if(payer.purseId === null, (rows) =>
          rows.where("account_id", "=", payer.accountId).where("purse_id", "is", null),
        )
        .$if(payer.purseId !== null, (rows) => rows.where("purse_id", "=", payer.purseId))
        .where(isAliveSql())
        .executeTakeFirstOrThrow();
      return row.count;
    },

    /**
     * Changes a job's state, if its present state allows it. Undefined when not. Nothing else writes a state, so a
     * final state is never overwritten.
     */
    transition: (
      id: string,
      to: WorkflowState,
      { from = statesBefore(to), ...more }: Updateable<JobsTable> & { from?: WorkflowState[] } = {},
      trx: Db = db,
    ): Promise<JobRow | undefined> =>
      trx
        .updateTable("jobs")
        .set({
          ...more,
          state: to,
          state_at: now,
          ends_at: null,
          ...(!isAlive(to) && { ended_at: now, paused: null, current_cpu: 0, current_ram_gb: 0 }),
        })
        .where("id", "=", id)
        .where("state", "in", from)
        .returningAll()
        .executeTakeFirst(),

    /** Locks a job in one of these states until the transaction ends. Undefined when it is in another. */
    lockInState: (trx: Db, id: string, states: WorkflowState[]) =>
      trx
        .selectFrom("jobs")
        .selectAll()
        .where("id", "=", id)
        .where("state", "in", states)
        .forUpdate()
        .executeTakeFirst(),

    update: (id: string, change: Updateable<JobsTable>, trx: Db = db) =>
      trx.updateTable("jobs").set(change).where("id", "=", id).execute(),

    /** Keeps an unused session running. Undefined when it has ended. */
    keep: (id: string): Promise<JobRow | undefined> =>
      db
        .updateTable("jobs")
        .set({ used_at: now, ends_at: null })
        .where("id", "=", id)
        .where(isAliveSql())
        .returningAll()
        .executeTakeFirst(),

    /** Marks a job as seen now. */
    touch: (id: string, trx: Db = db) => trx.updateTable("jobs").set({ seen_at: now }).where("id", "=", id).execute(),

    /**
     * Gives a command the next number of its job. A command that changes the state also becomes the command of that
     * state.
     */
    addCommand: async (trx: Db, jobId: string, command: AgentCommand, by: string | null, changesState = false) => {
      const { rows } = await sql<{ number: number }>`
        with job as (
          update jobs
          set last_command = last_command + 1,
            state_command = case when ${changesState} then last_command + 1 else state_command end
          where id = ${jobId}
          returning last_command
        )
        insert into job_commands (job_id, number, command, account_id)
        select ${jobId}, last_command, ${JSON.stringify(command)}, ${by} from job
        returning number`.execute(trx);
      const [added] = rows;
      if (!added) throw new Error(`There is no job ${jobId}.`);
      return added.number;
    },

    /** Why a session was stopped. Null when a person stopped it. */
    stopReason: async (trx: Db, jobId: string): Promise<string | null> => {
      const { rows } = await sql<{ reason: string | null }>`
        select command ->> 'reason' as reason from job_commands
        where job_id = ${jobId} and command ->> 'command' = 'stop' order by number desc limit 1`.execute(trx);
      return rows[0]?.reason ?? null;
    },

    inTransaction: <T>(work: (trx: Db) => Promise<T>): Promise<T> => db.transaction().execute(work),

    /**
     * Takes the next job out of the queue, if there is room: of the waiting accounts, the one with the fewest running
     * sessions, then the one whose last start is longest ago; of its jobs the oldest. Disabled accounts have no
     * turn. None while the machine is closed.
     */
    takeNext: (limits: Limits, tokenHash: Buffer, machineId: string | null): Promise<JobRow | undefined> =>
      db.transaction().execute(async (trx) => {
        await sql`select pg_advisory_xact_lock(${queueLock})`.execute(trx);
        const taken = await sql<JobRow>`
          with running as (
            select account_id, count(*) as count from jobs
            where ${isAliveSql()} and not ${isInQueue}
            group by account_id
          ), waiting as (
            select distinct on (account_id) id, account_id from jobs where ${isInQueue} and state = 'QUEUED'
              and exists (select from accounts where accounts.id = jobs.account_id and accounts.disabled_at is null)
            order by account_id, id
          ), next as (
            select waiting.id from waiting left join running using (account_id)
            where coalesce(running.count, 0) < ${limitSql("processors", sql.ref("waiting.account_id"), limits.mostPerAccount)}
              and (select coalesce(sum(count), 0) from running) < ${processorsInAllSql(limits.most)}
              and not exists (select from machines where machines.id = ${machineId} and closed_at is not null)
            order by coalesce(running.count, 0),
              (select max(started_at) from jobs where jobs.account_id = waiting.account_id) nulls first, waiting.id
            limit 1
          )
          update jobs set state = 'STARTING', state_at = now(), started_at = now(), seen_at = now(),
            token_hash = ${tokenHash}
          where id = (select id from next) and state = 'QUEUED' returning *`.execute(trx);
        return taken.rows[0];
      }),

    /**
     * A session of an app that has nothing to do, while another session waits for its place. Not those that an owner
     * wants to be ready, nor one that has just begun. None while enough sessions are about to end.
     */
    findInTheWay: async (limits: Limits): Promise<string | undefined> => {
      const { rows } = await sql<{ id: string }>`
        with alive as (
          select id, account_id, state, state_at, deployment_id, release_id, ${isInQueue} as waits from jobs where ${isAliveSql()}
        ), waiting as (
          select account_id, (select count(*) from alive as others
            where others.account_id = alive.account_id and not waits) >= ${limitSql("processors", sql.ref("alive.account_id"), limits.mostPerAccount)} as has_many
          from alive where waits
        )
        select alive.id from alive join deployments on deployments.id = alive.deployment_id
        where alive.state = 'READY' and alive.state_at < now() - make_interval(secs => ${idleInTheWay})
          and not (deployments.warm > 0 and alive.release_id is not distinct from deployments.production_id)
          and not exists (select from calls where calls.deployment_id = alive.deployment_id and calls.state = 'queued')
          and (alive.account_id in (select account_id from waiting where has_many)
            or (exists (select from waiting where not has_many)
              and (select count(*) from alive where not waits) >= ${processorsInAllSql(limits.most)}))
          and (select count(*) from alive where state = 'KILLING') < (select count(*) from waiting)
        order by alive.state_at limit 1`.execute(db);
      return rows[0]?.id;
    },

    openQuestions: (jobId: string) =>
      db
        .selectFrom("password_requests")
        .select(["question", "prompt", "hidden", "node_id as node"])
        .where("job_id", "=", jobId)
        .where("answer", "is", null)
        .orderBy("created_at")
        .orderBy("question")
        .execute(),

    nodeRuns: (jobId: string) =>
      db
        .selectFrom("job_nodes")
        .select(["node_id as wob_key", "run", "status", "seconds", "fires"])
        .where("job_id", "=", jobId)
        .execute(),

    packages: (jobId: string) =>
      db
        .selectFrom("job_packages")
        .select(["run", "packages"])
        .where("job_id", "=", jobId)
        .orderBy("run", "desc")
        .execute(),
  };
}

export type JobQueries = ReturnType<typeof createJobQueries>;
