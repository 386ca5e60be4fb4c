import { draft as limits } from "@miranda/contract/limits.ts";
import type { DraftAuthor } from "@miranda/contract/schemas/code.ts";
import { type Insertable, type QueryResult, sql, type SqlBool } from "kysely";

import { housekeeping } from "../../limits.ts";
import type { NodeCommitsTable } from "../../tables/code-tables.ts";
import type { Db } from "../../platform/database/database.ts";
import { deleteInBatches } from "../../platform/database/delete-batches-queries.ts";

export interface StoredDraft {
  metadata_id: number;
  graph_id: string;
  epoch: string;
  document: Buffer;
  unsaved: boolean;
  updated_by: string | null;
  authors: string[];
  /** The node's code that it started from. Null when it is saved. */
  base: string | null;
}

const draftColumns = [
  "metadata_id",
  "graph_id",
  "epoch",
  "document",
  "unsaved",
  "updated_by",
  "authors",
  "base",
] as const;

/** Whether a node exists, or could still be restored. */
const isKnown = sql<boolean>`(
  exists (select 1 from nodes where nodes.metadata_id = kept.metadata_id)
  or exists (select 1 from deleted_nodes where deleted_nodes.metadata_id = kept.metadata_id))`;

const isEnabledCode = sql<boolean>`(nodes.class = 'Code_block' and not coalesce((nodes.api ->> 'disabled')::boolean, false))`;

/** Whether the node's code is no longer what the draft started from. Drafts have one kind of line end. */
const isOutdated = sql<boolean>`coalesce(node_drafts.base
  <> replace(replace(nodes.source_code, E'\\r\\n', E'\\n'), E'\\r', E'\\n'), false)`;

/** For the whole database, or inside a transaction. */
export function codeQueries(db: Db) {
  const commits = db
    .selectFrom("node_commits")
    .leftJoin("accounts", (join) =>
      join.onRef("accounts.id", "=", "node_commits.author_id").on("accounts.deleted_at", "is", null),
    )
    .select([
      "node_commits.id",
      "node_commits.metadata_id",
      "node_commits.number",
      "node_commits.message",
      "node_commits.restored",
      "node_commits.created_at",
      "node_commits.author_id",
      "accounts.username",
      "accounts.first_name",
      "accounts.last_name",
      "accounts.avatar_version",
    ])
    .select(
      sql<DraftAuthor[]>`coalesce((
        select jsonb_agg(jsonb_build_object('username', writer.username, 'first_name', writer.first_name)
          order by writer.username)
        from accounts as writer where writer.id = any(node_commits.written_by) and writer.deleted_at is null), '[]')`.as(
        "with",
      ),
    );

  return {
    list: (metadataId: number, limit: number, before: number | undefined) =>
      commits
        .where("node_commits.metadata_id", "=", metadataId)
        .$if(before !== undefined, (query) => query.where("node_commits.number", "<", before ?? 0))
        .orderBy("node_commits.number", "desc")
        .limit(limit)
        .execute(),

    find: (metadataId: number, id: string) =>
      commits
        .select(["node_commits.source_code", "node_commits.api"])
        .where("node_commits.metadata_id", "=", metadataId)
        .where("node_commits.id", "=", id)
        .executeTakeFirst(),

    /** The newest commit of a node, or the newest before a number. */
    latest: (metadataId: number, before?: number) =>
      db
        .selectFrom("node_commits")
        .select(["id", "number", "source_code"])
        .where("metadata_id", "=", metadataId)
        .$if(before !== undefined, (query) => query.where("number", "<", before ?? 0))
        .orderBy("number", "desc")
        .limit(1)
        .executeTakeFirst(),

    insert: async (row: Insertable<NodeCommitsTable>) => {
      await db.insertInto("node_commits").values(row).execute();
    },

    findDraft: (metadataId: number): Promise<StoredDraft | undefined> =>
      db.selectFrom("node_drafts").select(draftColumns).where("metadata_id", "=", metadataId).executeTakeFirst(),

    saveDraft: async (row: StoredDraft) => {
      // Ignored when the graph was deleted meanwhile: its drafts are deleted with it.
      await sql`
        insert into node_drafts (metadata_id, graph_id, epoch, document, unsaved, updated_by, authors, base)
        select ${row.metadata_id}, id, ${row.epoch}::uuid, ${row.document}, ${row.unsaved}, ${row.updated_by}::uuid,
          ${row.authors}::uuid[], ${row.base}
        from graphs where id = ${row.graph_id}
        on conflict (metadata_id) do update set epoch = excluded.epoch, document = excluded.document,
          unsaved = excluded.unsaved, updated_by = excluded.updated_by, authors = excluded.authors, base = excluded.base,
          updated_at = now()`.execute(db);
    },

    /** Locked until the transaction ends. */
    lockDraft: (metadataId: number) =>
      db
        .selectFrom("node_drafts")
        .select(draftColumns)
        .where("metadata_id", "=", metadataId)
        .forUpdate()
        .executeTakeFirst(),

    /**
     * The unsaved code that a run uses: what this person alone has written, and other people's where they ask for it.
     */
    draftsForRun: (graphId: string, author: string, include: readonly number[]) =>
      db
        .selectFrom("node_drafts")
        .innerJoin("nodes", "nodes.metadata_id", "node_drafts.metadata_id")
        .select(["node_drafts.metadata_id", "nodes.name", sql<number>`octet_length(document)`.as("bytes")])
        .select(isOutdated.as("outdated"))
        .where("node_drafts.graph_id", "=", graphId)
        .where("node_drafts.unsaved", "=", true)
        .where("nodes.locked", "=", false)
        .where(isEnabledCode)
        .where(
          sql<boolean>`(node_drafts.authors = array[${author}]::uuid[]
            or node_drafts.metadata_id = any(${include}::bigint[]))`,
        )
        .orderBy("node_drafts.metadata_id")
        .execute(),

    /** The nodes whose committed code does not parse. */
    wrongIn: (graphId: string) =>
      db
        .selectFrom("nodes")
        .select(["metadata_id", "name", "source_code"])
        .where("graph_id", "=", graphId)
        .where(isEnabledCode)
        .where(sql<boolean>`nodes.api ->> 'error' is not null`)
        .orderBy("metadata_id")
        .limit(limits.wrongMax)
        .execute(),

    /** The enabled code blocks in which somebody has set a field. */
    withValues: (graphId: string) =>
      db
        .selectFrom("nodes")
        .select(["metadata_id", "api", "field_values"])
        .where("graph_id", "=", graphId)
        .where(isEnabledCode)
        .where(sql<boolean>`nodes.field_values <> '{}'`)
        .orderBy("metadata_id")
        .execute(),

    readDrafts: (metadataIds: readonly number[]) =>
      db
        .selectFrom("node_drafts")
        .select(["metadata_id", "epoch", "document"])
        .where(sql<boolean>`metadata_id = any(${metadataIds}::bigint[])`)
        .orderBy("metadata_id")
        .execute(),

    /** A node with everything upstream of it, and where asked for everything downstream. */
    async reachOf(graphId: string, node: number, isForwardToo: boolean): Promise<Set<number>> {
      const { rows } = await sql<{ id: number }>`
        with recursive upstream(id) as (
          select ${node}::bigint
          union select edges.source_id from edges join upstream on edges.target_id = upstream.id
          where edges.graph_id = ${graphId}
        ), downstream(id) as (
          select ${node}::bigint where ${isForwardToo}
          union select edges.target_id from edges join downstream on edges.source_id = downstream.id
          where edges.graph_id = ${graphId}
        )
        select id from upstream union select id from downstream`.execute(db);
      return new Set(rows.map(({ id }) => id));
    },

    /** Locked until the transaction ends. */
    lockDrafts: (metadataIds: readonly number[]) =>
      db
        .selectFrom("node_drafts")
        .innerJoin("nodes", "nodes.metadata_id", "node_drafts.metadata_id")
        .select(["node_drafts.metadata_id", "epoch", "unsaved", "authors", "nodes.name", isOutdated.as("outdated")])
        .select(sql<Buffer>`sha256(document)`.as("hash"))
        .where(sql<boolean>`node_drafts.metadata_id = any(${metadataIds}::bigint[])`)
        .orderBy("node_drafts.metadata_id")
        .forUpdate("node_drafts")
        .execute(),

    async markCommitted(metadataIds: readonly number[]): Promise<void> {
      await db
        .updateTable("node_drafts")
        .set({ unsaved: false, authors: [], base: null })
        .where(sql<boolean>`metadata_id = any(${metadataIds}::bigint[])`)
        .execute();
    },

    /** What was typed since goes on from the committed code. */
    async setBase(metadataId: number, base: string): Promise<void> {
      await db.updateTable("node_drafts").set({ base }).where("metadata_id", "=", metadataId).execute();
    },

    /** Unless there is one already. */
    makeDraft: async (metadataId: number, graphId: string, epoch: string, document: Buffer) => {
      await sql`
        insert into node_drafts (metadata_id, graph_id, epoch, document, unsaved)
        select ${metadataId}, id, ${epoch}::uuid, ${document}, false from graphs where id = ${graphId}
        on conflict (metadata_id) do nothing`.execute(db);
    },

    /** True for one server only: that one updates the draft to the code of this revision. */
    claimFollowing: async (metadataId: number, revision: number): Promise<boolean> => {
      const claimed = await db
        .updateTable("node_drafts")
        .set({ followed: revision })
        .where("metadata_id", "=", metadataId)
        .where("followed", "<", revision)
        .returning("metadata_id")
        .executeTakeFirst();
      return claimed !== undefined;
    },

    dropDraft: async (metadataId: number) => {
      await db.deleteFrom("node_drafts").where("metadata_id", "=", metadataId).execute();
    },

    unsavedIn: (graphId: string) =>
      db
        .selectFrom("node_drafts")
        .innerJoin("nodes", "nodes.metadata_id", "node_drafts.metadata_id")
        .leftJoin("accounts", (join) =>
          join.onRef("accounts.id", "=", "node_drafts.updated_by").on("accounts.deleted_at", "is", null),
        )
        .select(["node_drafts.metadata_id", "node_drafts.updated_at", "node_drafts.authors", "accounts.username"])
        .select(isOutdated.as("outdated"))
        .where("node_drafts.graph_id", "=", graphId)
        .where("node_drafts.unsaved", "=", true)
        .orderBy("node_drafts.metadata_id")
        .execute(),

    /**
     * The names of people, ordered by username. With deleted accounts: without them, code that somebody else wrote too
     * would look like one's own.
     */
    peopleOf: (accountIds: readonly string[]) =>
      db
        .selectFrom("accounts")
        .select(["id", "username", "first_name"])
        .where(sql<boolean>`id = any(${accountIds}::uuid[])`)
        .orderBy("username")
        .execute(),

    /** Removes the history and the unsaved code of nodes that can no longer be restored. */
    forget: async (metadataIds: readonly number[]) => {
      for (const table of ["node_drafts", "node_commits", "node_git"] as const)
        await sql`delete from ${sql.table(table)} as kept
          where metadata_id = any(${metadataIds}::bigint[]) and not ${isKnown}`.execute(db);
    },

    removeOldDrafts: (keepDays: number) =>
      deleteInBatches(
        db,
        "node_drafts",
        sql<SqlBool>`not unsaved and updated_at < now() - make_interval(days => ${keepDays})`,
      ),

    /** Drafts that were saved a moment after their node was forgotten. */
    async *removeLostDrafts(): AsyncGenerator<void> {
      for (let last: number | null = 0; last !== null;) {
        const found: QueryResult<{ last: number | null }> = await sql<{ last: number | null }>`
          with part as (
            select metadata_id from node_drafts where metadata_id > ${last} order by metadata_id limit ${housekeeping.rows}
          ), gone as (
            delete from node_drafts as kept using part where kept.metadata_id = part.metadata_id and not ${isKnown}
          )
          select max(metadata_id) as last from part`.execute(db);
        last = found.rows[0]?.last ?? null;
        yield;
      }
    },
  };
}
