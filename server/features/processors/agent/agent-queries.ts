import { type Nano, writeCredits } from "@miranda/contract/billing/credits.ts";
import { sessionBudget } from "../../../limits.ts";
import type { Installing } from "@miranda/contract/schemas/processors.ts";
import { type RawBuilder, type Selectable, sql, type Updateable } from "kysely";

import type { JobCommandsTable, JobsTable } from "../../../tables/session-tables.ts";
import type { Db } from "../../../platform/database/database.ts";
import { storableJson } from "../../../platform/database/storable-json.ts";
import type { Batch } from "./reduce-events.ts";
import type { JobRow } from "../jobs/jobs-queries.ts";

export interface OutputKey {
  node: number;
  run: number;
  number: number;
}

/** The content of a file that a node showed. */
export type OutputFile = OutputKey & { content: Buffer };

export type JobChange = Omit<Updateable<JobsTable>, "total_cost"> & { total_cost?: RawBuilder<number> };

/** The database adds it up: a sum of JavaScript numbers would be wrong in the last digits. */
export const totalWith = (cost: Nano) => sql<number>`coalesce(total_cost, 0) + ${writeCredits(cost)}::numeric`;

/** The versions of models, by name. */
export type KnownModels = ReadonlyMap<string, number>;

interface Training {
  project_id: string;
  run_id: string | null;
  version_id: string | null;
  author: string | null;
}

interface PolledJob {
  token_hash: Buffer | null;
  state: JobRow["state"];
  is_silent: boolean;
  commands: Pick<Selectable<JobCommandsTable>, "number" | "command">[];
}

const nameOfOutput = ({ node, run, number }: OutputKey): string => `${node} ${run} ${number}`;

export function createRunnerQueries(db: Db) {
  return {
    /** Locks the job: two batches of one agent are stored one after the other. */
    lock: async (trx: Db, id: string): Promise<JobRow | undefined> =>
      trx.selectFrom("jobs").selectAll().where("id", "=", id).forUpdate().executeTakeFirst(),

    findToken: (id: string) =>
      db
        .selectFrom("jobs")
        .select(["id", "token_hash", "state", "graph_id", "account_id", "project_id", "deployment_id", "release_id"])
        .where("id", "=", id)
        .executeTakeFirst(),

    /** A session with its commands after this one. `is_silent`: it was not seen for a while. */
    poll: async (id: string, after: number): Promise<PolledJob | undefined> => {
      const { rows } = await sql<PolledJob>`
        select token_hash, state, coalesce(seen_at < now() - interval '2 seconds', true) as is_silent, coalesce((
          select jsonb_agg(jsonb_build_object('number', number, 'command', command) order by number) from (
            select number, command from job_commands where job_id = jobs.id and number > ${after} order by number limit 100
          ) as next), '[]') as commands
        from jobs where id = ${id}`.execute(db);
      return rows[0];
    },

    seen: (id: string) =>
      db
        .updateTable("jobs")
        .set({ seen_at: sql<Date>`now()` })
        .where("id", "=", id)
        .execute(),

    update: (trx: Db, id: string, change: JobChange) =>
      trx
        .updateTable("jobs")
        .set({ ...change, seen_at: sql<Date>`now()` })
        .where("id", "=", id)
        .returningAll()
        .executeTakeFirstOrThrow(),

    /** Those of these nodes that belong to the graph. */
    ownNodes: async (trx: Db, graphId: string, ids: number[]): Promise<Set<number>> => {
      const rows = await trx
        .selectFrom("nodes")
        .select("metadata_id")
        .where("graph_id", "=", graphId)
        .where("metadata_id", "=", sql<number>`any(${ids})`)
        .execute();
      return new Set(rows.map(({ metadata_id }) => metadata_id));
    },

    namesOf: async (trx: Db, graphId: string, ids: number[]): Promise<Map<number, string>> => {
      if (ids.length === 0) return new Map();
      const rows = await trx
        .selectFrom("nodes")
        .select(["metadata_id", "name"])
        .where("graph_id", "=", graphId)
        .where("metadata_id", "=", sql<number>`any(${ids})`)
        .execute();
      return new Map(rows.map(({ metadata_id, name }) => [metadata_id, name]));
    },

    saveStatuses: (trx: Db, graphId: string, nodes: Batch["nodeRuns"]) => {
      const rows = JSON.stringify([...nodes].map(([id, { status }]) => ({ id, status })));
      return sql`update nodes set status = given.status, last_used_at = now()
        from jsonb_to_recordset(${rows}::jsonb) as given(id bigint, status text)
        where nodes.metadata_id = given.id and nodes.graph_id = ${graphId}`.execute(trx);
    },

    saveNodeRuns: (trx: Db, jobId: string, nodes: Batch["nodeRuns"]) => {
      const rows = JSON.stringify([...nodes.values()]);
      return sql`insert into job_nodes (job_id, node_id, run, status, seconds, fires)
        select ${jobId}, wob_key, run, status, seconds, fires from jsonb_to_recordset(${rows}::jsonb)
          as given(wob_key bigint, run integer, status text, seconds double precision, fires integer)
        on conflict (job_id, node_id) do update
          set run = excluded.run, status = excluded.status, seconds = excluded.seconds, fires = excluded.fires`.execute(
        trx,
      );
    },

    /** Keeps only a session's newest runs: each may name a thousand packages. */
    savePackages: async (trx: Db, jobId: string, { run, packages }: Batch["packages"][number]) => {
      const row = { job_id: jobId, run, packages: storableJson(packages) };
      await trx
        .insertInto("job_packages")
        .values(row)
        .onConflict((conflict) => conflict.columns(["job_id", "run"]).doUpdateSet(row))
        .execute();
      await trx
        .deleteFrom("job_packages")
        .where("job_id", "=", jobId)
        .where("run", "<=", run - sessionBudget.runsWithPackages)
        .execute();
    },

    /**
     * Rows as JSON: with one parameter per value, a few thousand outputs would exceed PostgreSQL's limit. The content of a
     * file is kept only for an output that was stored; the database removes that of an output that is replaced.
     */
    saveOutputs: async (trx: Db, jobId: string, outputs: string[], files: readonly OutputFile[]): Promise<void> => {
      const { rows } = await sql<OutputKey>`
        insert into job_outputs (job_id, node_id, run, number, show_id, bytes, data, metadata)
        select ${jobId}, node, run, number, id, bytes, data, metadata
        from json_to_recordset(${`[${outputs.join(",")}]`}::json)
          as given(node bigint, run integer, number integer, id text, bytes integer, data json, metadata json)
        on conflict (job_id, node_id, run, number) do update
          set data = excluded.data, metadata = excluded.metadata, bytes = excluded.bytes, show_id = excluded.show_id
          where excluded.show_id is not null
        returning node_id as node, run, number`.execute(trx);
      const stored = new Set(files.length > 0 ? rows.map(nameOfOutput) : []);
      for (const { node, run, number, content } of files.filter((file) => stored.has(nameOfOutput(file))))
        await sql`insert into job_output_files (job_id, node_id, run, number, content)
          values (${jobId}, ${node}, ${run}, ${number}, ${content})`.execute(trx);
    },

    /** A file that was sent with the call that the session serves now. */
    findSentFile: async (jobId: string, hash: string): Promise<Buffer | undefined> => {
      const { rows } = await sql<{ content: Buffer }>`
        select node_files.content from calls join call_files on call_files.call_id = calls.id
          join node_files on node_files.hash = call_files.hash
        where calls.job_id = ${jobId} and calls.ended_at is null and call_files.hash = ${hash}`.execute(db);
      return rows[0]?.content;
    },

    /**
     * Makes room for what nodes show now: removes outputs of earlier runs whose nodes have shown something since, the oldest
     * first. Returns how many bytes that frees.
     */
    dropOlderOutputs: async (
      trx: Db,
      jobId: string,
      newest: ReadonlyMap<number, number>,
      needed: number,
    ): Promise<number> => {
      const given = JSON.stringify(Array.from(newest, ([node, run]) => ({ node, run })));
      const { rows } = await sql<{ bytes: number }>`
        with newest as (
          select node, max(run) as run from (
            select node, run from json_to_recordset(${given}::json) as given(node bigint, run integer)
            union all select node_id, run from job_outputs where job_id = ${jobId}) as shown group by node
        ), old as (
          select node_id, job_outputs.run, number,
            sum(bytes) over (order by job_outputs.run, node_id, number) - bytes as before
          from job_outputs join newest on newest.node = node_id
          where job_id = ${jobId} and job_outputs.run < newest.run
        ), gone as (
          delete from job_outputs using old where old.before < ${needed} and job_id = ${jobId}
            and job_outputs.node_id = old.node_id and job_outputs.run = old.run and job_outputs.number = old.number
          returning job_outputs.run, bytes
        ), marked as (
          update runs set outputs_removed = true, output_bytes = greatest(0, output_bytes - freed.bytes)
          from (select run, sum(bytes) as bytes from gone group by run) as freed
          where runs.job_id = ${jobId} and runs.number = freed.run
        )
        select coalesce(sum(bytes), 0)::float8 as bytes from gone`.execute(trx);
      return rows[0]?.bytes ?? 0;
    },

    /** The sizes of those outputs that are already stored, by `node run number`. */
    storedBytes: async (trx: Db, jobId: string, keys: OutputKey[]): Promise<Map<string, number>> => {
      const { rows } = await sql<{ key: string; bytes: number }>`
        select concat_ws(' ', node_id, job_outputs.run, job_outputs.number) as key, bytes
        from json_to_recordset(${JSON.stringify(keys)}::json) as given(node bigint, run integer, number integer)
        join job_outputs on job_id = ${jobId} and node_id = given.node
          and job_outputs.run = given.run and job_outputs.number = given.number`.execute(trx);
      return new Map(rows.map(({ key, bytes }) => [key, bytes]));
    },

    /** The number of a workflow's models, and how many versions those of its project with these names have. */
    findModels: async (trx: Db, graphId: string, names: string[]): Promise<{ count: number; known: KnownModels }> => {
      const { rows } = await sql<{ count: number; name: string | null; versions: number }>`
        select (select count(*)::integer from models where graph_id = ${graphId} and deleted_at is null) as count,
          models.name, models.latest_version as versions
        from graphs left join models on models.project_id = graphs.project_id and models.name = any(${names}::text[])
          and models.deleted_at is null
        where graphs.id = ${graphId}`.execute(trx);
      const known = rows.flatMap(({ name, versions }) => (name === null ? [] : [[name, versions] as const]));
      return { count: rows[0]?.count ?? 0, known: new Map(known) };
    },

    /** Who trained a model, in which run of which project. */
    findTraining: async (trx: Db, job: { id: string; graph_id: string; account_id: string }, run: number) => {
      const { rows } = await sql<Training>`
        select graphs.project_id, runs.id as run_id, runs.version_id,
          (select username from accounts where id = ${job.account_id} and deleted_at is null) as author
        from graphs left join runs on runs.job_id = ${job.id} and runs.number = ${run}
        where graphs.id = ${job.graph_id}`.execute(trx);
      return rows[0];
    },

    saveQuestion: (trx: Db, jobId: string, { question, prompt, hidden, node = null }: Batch["questions"][number]) =>
      trx
        .insertInto("password_requests")
        .values({ job_id: jobId, question, prompt, hidden, node_id: node, answer: null })
        .onConflict((conflict) => conflict.doNothing())
        .execute(),

    /** Those that existed. */
    withdrawQuestions: async (trx: Db, jobId: string, questions: number[]): Promise<number[]> => {
      const rows = await trx
        .deleteFrom("password_requests")
        .where("job_id", "=", jobId)
        .where("question", "=", sql<number>`any(${questions})`)
        .returning("question")
        .execute();
      return rows.map(({ question }) => question);
    },

    countQuestions: async (trx: Db, jobId: string): Promise<number> => {
      const { count } = await trx
        .selectFrom("password_requests")
        .select(sql<number>`count(*)::integer`.as("count"))
        .where("job_id", "=", jobId)
        .executeTakeFirstOrThrow();
      return count;
    },

    /** The present command of a job, if it is this one. */
    findPresentCommand: (jobId: string, number: number) =>
      db
        .selectFrom("job_commands")
        .innerJoin("jobs", "jobs.id", "job_commands.job_id")
        .select(["job_commands.command", "job_commands.account_id"])
        .where("job_commands.job_id", "=", jobId)
        .where("job_commands.number", "=", number)
        .whereRef("jobs.state_command", "=", "job_commands.number")
        .where("jobs.state", "=", "RUNNING")
        .executeTakeFirst(),

    /** Unanswered questions, the oldest first. Locked, so that two people's answers wait for each other. */
    openQuestions: (trx: Db, jobId: string) =>
      trx
        .selectFrom("password_requests")
        .select(["question", "hidden"])
        .where("job_id", "=", jobId)
        .where("answer", "is", null)
        .orderBy("created_at")
        .orderBy("question")
        .forUpdate()
        .execute(),

    answerQuestion: (trx: Db, jobId: string, question: number, answer: Buffer) =>
      trx
        .updateTable("password_requests")
        .set({ answer })
        .where("job_id", "=", jobId)
        .where("question", "=", question)
        .execute(),

    takeAnswer: async (jobId: string, question: number) => {
      const row = await db
        .deleteFrom("password_requests")
        .where("job_id", "=", jobId)
        .where("question", "=", question)
        .where("answer", "is not", null)
        .returning("answer")
        .executeTakeFirst();
      return row?.answer ?? undefined;
    },
  };
}

export type RunnerQueries = ReturnType<typeof createRunnerQueries>;

export function installingJson({ total, done, what }: Installing): string {
  return storableJson({ total, done, what });
}
