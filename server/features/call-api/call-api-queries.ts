import type { CallState } from "@miranda/contract/schemas/deployments/calls.ts";
import type { ReleaseForm } from "@miranda/contract/schemas/deployments/release-forms.ts";
import { type RawBuilder, sql, type SqlBool } from "kysely";

import { mayStillShare } from "../../model/shared-results-queries.ts";
import { outputPages } from "../../limits.ts";
import type { Db } from "../../platform/database/database.ts";
import { type CallsOf, ofCaller } from "../call-inputs/call-files-queries.ts";

export type CallDetails = NonNullable<Awaited<ReturnType<CallApiQueries["find"]>>>;
/** What lists know of a call. */
export type CallHead = Omit<CallDetails, "nodes">;
export type CallApiQueries = ReturnType<typeof callApiQueries>;

/** One output of a call. `number` counts those that callers see, in the order they came. */
export interface OutputRow {
  name: string;
  label: string;
  /** Its place in the form of the release. */
  place: number;
  number: number;
  data: Record<string, unknown>;
  metadata: Record<string, unknown>;
  /** How the output is stored. */
  node_id: number;
  stored_number: number;
}

export interface NodeStatus {
  node_id: number;
  status: string;
}

interface Filter {
  deploymentId: string;
  /** Undefined: everybody's. */
  caller: CallsOf | undefined;
  state?: CallState | "alive" | "bad" | undefined;
  via?: string | undefined;
  scheduleId?: string | undefined;
  after?: string | undefined;
  limit: number;
}

const groups: Readonly<Record<string, readonly string[]>> = {
  alive: ["queued", "running", "paused"],
  bad: ["failed", "crashed", "lost"],
};

/** What the nodes of a call did so far. */
const nodesOfCall = sql<NodeStatus[]>`coalesce((
  select json_agg(json_build_object('node_id', node_id, 'status', status)) from run_nodes where run_id = calls.id), '[]')`.as(
  "nodes",
);

export function callApiQueries(db: Db) {
  const described = db
    .selectFrom("calls")
    .innerJoin("deployments", "deployments.id", "calls.deployment_id")
    .innerJoin("releases", "releases.id", "calls.release_id")
    .leftJoin("runs", "runs.id", "calls.id")
    .leftJoin("accounts", (join) =>
      join.onRef("accounts.id", "=", "calls.account_id").on("accounts.deleted_at", "is", null),
    )
    .select([
      "calls.id",
      "calls.deployment_id",
      "calls.channel",
      "calls.via",
      "calls.account_id",
      "calls.visitor_hash",
      "calls.token_id",
      "calls.schedule_id",
      "calls.inputs",
      "calls.state",
      "calls.reason",
      "calls.cancelled",
      "calls.cost",
      "calls.share",
      "calls.reported_at",
      "calls.revision",
      "calls.created_at",
      "calls.began_at",
      "calls.ended_at",
      "deployments.name as app_name",
      "deployments.title as app_title",
      "deployments.graph_id",
      "releases.number as release_number",
      "releases.version_id",
      "releases.form",
      "runs.job_id",
      "runs.number as run_number",
      "runs.failed_node",
      "runs.outputs_removed",
      "runs.first_line",
      "runs.last_line",
      "accounts.id as author_id",
      "accounts.username",
      "accounts.first_name",
      "accounts.last_name",
      "accounts.avatar_version",
    ])
    // Counted only for a call that waits.
    .select(
      sql<number | null>`case when calls.state = 'queued' then (
        select count(*)::integer from calls as before where before.deployment_id = calls.deployment_id
          and before.state = 'queued' and before.id < calls.id) end`.as("position"),
    );

  return {
    find: (deploymentId: string, id: string) =>
      described
        .select(nodesOfCall)
        .where("calls.id", "=", id)
        .where("calls.deployment_id", "=", deploymentId)
        .executeTakeFirst(),

    /** A shared result. A deleted project and a paused app serve nothing, and who left shares nothing. */
    findShared: (shareHash: Buffer) =>
      described
        .innerJoin("graphs", "graphs.id", "deployments.graph_id")
        .innerJoin("projects", "projects.id", "graphs.project_id")
        .where("projects.owner_id", "is not", null)
        .where("deployments.paused", "=", false)
        .where(mayStillShare)
        .select(nodesOfCall)
        .where("calls.share_hash", "=", shareHash)
        .executeTakeFirst(),

    list: ({ deploymentId, caller, state, via, scheduleId, after, limit }: Filter) =>
      described
        .where("calls.deployment_id", "=", deploymentId)
        .$if(caller !== undefined, (rows) => rows.where(caller ? mineOf(caller) : sql<SqlBool>`false`))
        .$if(state !== undefined, (rows) =>
          rows.where(sql<SqlBool>`calls.state = any(${groups[state ?? ""] ?? [state]}::text[])`),
        )
        .$if(via !== undefined, (rows) => rows.where(sql<SqlBool>`calls.via = ${via}`))
        .$if(scheduleId !== undefined, (rows) => rows.where("calls.schedule_id", "=", scheduleId ?? ""))
        .$if(after !== undefined, (rows) => rows.where("calls.id", "<", after ?? ""))
        .orderBy("calls.id", "desc")
        .limit(limit)
        .execute(),

    /** The outputs that the release shows, from a number on: as many as fit into an answer, and at least one. */
    outputs: async (
      run: { jobId: string; number: number },
      form: ReleaseForm,
      { after = 0, only }: { after?: number; only?: number } = {},
    ): Promise<OutputRow[]> => {
      if (form.outputs.length === 0) return [];
      const wanted = form.outputs.map(({ name, label, wob_key, transmitter }, place) => ({
        ...{ name, label, place, node: wob_key, transmitter },
      }));
      const from: RawBuilder<SqlBool> =
        only === undefined ? sql<SqlBool>`number > ${after}` : sql<SqlBool>`number = ${only}`;
      const { rows } = await sql<OutputRow>`
        select name, label, place, number, data, metadata, node_id, stored_number from (
          select *, sum(bytes) over (order by number) - bytes as before from (
            select wanted.name, wanted.label, wanted.place, shown.data, shown.metadata, shown.bytes,
              shown.node_id, shown.number as stored_number,
              row_number() over (order by shown.created_at, shown.node_id, shown.number, wanted.place)::integer as number
            from job_outputs as shown
            join jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
              as wanted(name text, label text, place integer, node bigint, transmitter text)
              on wanted.node = shown.node_id
                and wanted.transmitter is not distinct from (shown.metadata ->> 'transmitter')
            where shown.job_id = ${run.jobId} and shown.run = ${run.number}
          ) as counted where ${from}
        ) as page where before < ${outputPages.bytes} order by number limit ${outputPages.most}`.execute(db);
      return rows;
    },

    outputContent: async (run: { jobId: string; number: number }, output: OutputRow): Promise<Buffer | undefined> => {
      const { rows } = await sql<{ content: Buffer }>`
        select content from job_output_files where job_id = ${run.jobId} and run = ${run.number}
          and node_id = ${output.node_id} and number = ${output.stored_number}`.execute(db);
      return rows[0]?.content;
    },

    countOutputs: async (run: { jobId: string; number: number }): Promise<number> => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::integer as count from job_outputs where job_id = ${run.jobId} and run = ${run.number}`.execute(
        db,
      );
      return rows[0]?.count ?? 0;
    },

    setShare: async (id: string, share: { token: string; hash: Buffer } | null): Promise<void> => {
      await db
        .updateTable("calls")
        .set({ share: share?.token ?? null, share_hash: share?.hash ?? null })
        .where("id", "=", id)
        .execute();
    },

    /** False when it was reported before. */
    setReported: async (trx: Db, id: string): Promise<boolean> => {
      const { numUpdatedRows } = await trx
        .updateTable("calls")
        .set({ reported_at: sql<Date>`now()` })
        .where("id", "=", id)
        .where("reported_at", "is", null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    version: (id: string) =>
      db.selectFrom("graph_versions").select(["id", "number", "name"]).where("id", "=", id).executeTakeFirst(),

    /** False when it was taken before. Those that are too old to be accepted are forgotten. */
    takeSignature: async (deploymentId: string, signature: Buffer, seconds: number): Promise<boolean> => {
      await sql`delete from hook_signatures where taken_at < now() - make_interval(secs => ${3 * seconds})`.execute(db);
      const { rows } = await sql`insert into hook_signatures (deployment_id, signature)
        values (${deploymentId}, ${signature}) on conflict do nothing returning deployment_id`.execute(db);
      return rows.length > 0;
    },

    returnSignature: async (deploymentId: string, signature: Buffer): Promise<void> => {
      await sql`delete from hook_signatures where deployment_id = ${deploymentId} and signature = ${signature}`.execute(
        db,
      );
    },

    /** The deployment of a webhook's address, with the key that signs its bodies. */
    findHook: (hash: Buffer) =>
      db
        .selectFrom("deployments")
        .select(["id", "owner_id", "hook_secret", "hook_field"])
        .where("hook_hash", "=", hash)
        .executeTakeFirst(),
  };
}

function mineOf(caller: CallsOf): RawBuilder<SqlBool> {
  return sql<SqlBool>`${ofCaller(caller)}`;
}
