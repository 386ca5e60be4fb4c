import type { VersionListQuery, VersionReason } from "@miranda/contract/schemas/versions.ts";
import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";

export interface NewVersion {
  id: string;
  graph_id: string;
  reason: VersionReason;
  name?: string;
  message?: string;
  author_id: string | null;
  revision: number;
  node_count: number;
  edge_count: number;
  parts: Buffer[];
}

interface NewNamedVersion extends NewVersion {
  number: number;
  published: boolean;
  left_out: Record<string, number>;
}

export type VersionRow = NonNullable<Awaited<ReturnType<ReturnType<typeof versionQueries>["find"]>>>;

/** The database or a transaction. */
export function versionQueries(db: Db) {
  const versions = db
    .selectFrom("graph_versions")
    .leftJoin("accounts", (join) =>
      join.onRef("accounts.id", "=", "graph_versions.author_id").on("accounts.deleted_at", "is", null),
    )
    .select([
      "graph_versions.id",
      "graph_versions.graph_id",
      "graph_versions.number",
      "graph_versions.reason",
      "graph_versions.name",
      "graph_versions.message",
      "graph_versions.author_id",
      "graph_versions.revision",
      "graph_versions.node_count",
      "graph_versions.edge_count",
      "graph_versions.runs",
      "graph_versions.last_run_at",
      "graph_versions.published_at",
      "graph_versions.created_at",
      "accounts.username",
      "accounts.first_name",
      "accounts.last_name",
      "accounts.avatar_version",
    ]);
  const whole = versions.select(["graph_versions.parts", "graph_versions.left_out"]);

  return {
    list: (graphId: string, { kind, limit, after }: VersionListQuery) => {
      let page = versions.where("graph_versions.graph_id", "=", graphId);
      if (kind !== "all") page = page.where("graph_versions.number", kind === "named" ? "is not" : "is", null);
      if (after !== undefined) page = page.where("graph_versions.id", "<", after);
      return page
        .orderBy("graph_versions.id", "desc")
        .limit(limit + 1)
        .execute();
    },

    /** By its number or its id. */
    find: (graphId: string, key: number | string) =>
      whole
        .where("graph_versions.graph_id", "=", graphId)
        .where(typeof key === "number" ? "graph_versions.number" : "graph_versions.id", "=", key)
        .executeTakeFirst(),

    /** Whether it exists. Until the transaction ends, nobody can delete it. */
    hold: async (id: string): Promise<boolean> => {
      const row = await db
        .selectFrom("graph_versions")
        .select("id")
        .where("id", "=", id)
        .forKeyShare()
        .executeTakeFirst();
      return row !== undefined;
    },

    newest: (graphId: string) =>
      whole
        .where("graph_versions.graph_id", "=", graphId)
        .orderBy("graph_versions.id", "desc")
        .limit(1)
        .executeTakeFirst(),

    lastPublished: (graphId: string) =>
      whole
        .where("graph_versions.graph_id", "=", graphId)
        .where("graph_versions.published_at", "is not", null)
        .orderBy("graph_versions.number", "desc")
        .limit(1)
        .executeTakeFirst(),

    countNamed: async (graphId: string): Promise<number> => {
      const { count } = await db
        .selectFrom("graph_versions")
        .select(sql<number>`count(*)`.as("count"))
        .where("graph_id", "=", graphId)
        .where("number", "is not", null)
        .executeTakeFirstOrThrow();
      return count;
    },

    /** The next number. Locks the graph's row, so that versions of one workflow are made one after the other. */
    nextNumber: async (graphId: string): Promise<number | undefined> => {
      const row = await db
        .updateTable("graphs")
        .set({ last_version: sql<number>`last_version + 1` })
        .where("id", "=", graphId)
        .returning("last_version")
        .executeTakeFirst();
      return row?.last_version;
    },

    insertNamed: async ({ published, left_out, ...version }: NewNamedVersion) => {
      await db
        .insertInto("graph_versions")
        .values({
          name: "",
          message: "",
          ...version,
          left_out: JSON.stringify(left_out),
          published_at: published ? sql<Date>`now()` : null,
        })
        .execute();
    },

    /** Ignored when the graph was deleted meanwhile. Waits for a deletion that is under way. */
    insertAutomatic: async (version: NewVersion): Promise<void> => {
      const { id, graph_id, reason, author_id, revision, node_count, edge_count, parts } = version;
      await sql`
        insert into graph_versions (id, graph_id, reason, author_id, revision, node_count, edge_count, parts)
        select ${id}::uuid, id, ${reason}, ${author_id}::uuid, ${revision}, ${node_count}, ${edge_count},
          ${parts}::bytea[]
        from graphs where id = ${graph_id} for key share`.execute(db);
    },

    /** Counts runs of a revision, at the newest version that is this revision. The id of that version. */
    countRuns: async (graphId: string, revision: number, times: number): Promise<string | undefined> => {
      const { rows } = await sql<{ id: string }>`
        update graph_versions set runs = runs + ${times}, last_run_at = now()
        where id = (select id from graph_versions
          where graph_id = ${graphId} and revision = ${revision} and left_out = '{}' order by id desc limit 1)
        returning id`.execute(db);
      return rows[0]?.id;
    },

    /** Whether a release uses it. Until the transaction ends, no new one can. */
    isDeployed: async (id: string): Promise<boolean> => {
      await db.selectFrom("graph_versions").select("id").where("id", "=", id).forUpdate().execute();
      const release = await db
        .selectFrom("releases")
        .select("id")
        .where("version_id", "=", id)
        .limit(1)
        .executeTakeFirst();
      return release !== undefined;
    },

    /** A version that runs or models refer to stays, as an automatic one without a name. */
    remove: async (id: string): Promise<void> => {
      const { numAffectedRows } = await sql`
        update graph_versions set number = null, name = '', message = '', reason = 'run', published_at = null
        where id = ${id} and left_out = '{}' and (exists (select from runs where version_id = ${id})
          or exists (select from model_versions where version_id = ${id}))`.execute(db);
      if (numAffectedRows === 0n) await db.deleteFrom("graph_versions").where("id", "=", id).execute();
    },

    /** Remembers where a clone came from, and what both have in common. */
    insertOrigin: async (row: { graph_id: string; origin_id: string; base_parts: Buffer[] }): Promise<void> => {
      await db.insertInto("graph_origins").values(row).execute();
    },
  };
}
