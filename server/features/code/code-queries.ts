import { type Insertable, sql } from "kysely";

import type { NodeCommitsTable } from "../../migrations/tables.ts";
import type { Db } from "../../platform/database.ts";

export interface StoredDraft {
  metadata_id: number;
  graph_id: string;
  epoch: string;
  document: Buffer;
  unsaved: boolean;
  updated_by: string | null;
}

/** Whether a node is there, or could still be brought back. */
const isKnown = sql<boolean>`(
  exists (select 1 from nodes where nodes.metadata_id = kept.metadata_id)
  or exists (select 1 from deleted_nodes where deleted_nodes.metadata_id = kept.metadata_id))`;

/** For the whole database, or inside a transaction. */
export function codeQueries(db: Db) {
  const commits = db
    .selectFrom("node_commits")
    .leftJoin("accounts", "accounts.id", "node_commits.author_id")
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
    ]);

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
      db
        .selectFrom("node_drafts")
        .select(["metadata_id", "graph_id", "epoch", "document", "unsaved", "updated_by"])
        .where("metadata_id", "=", metadataId)
        .executeTakeFirst(),

    saveDraft: async (row: StoredDraft) => {
      // A graph that was deleted meanwhile takes its drafts with it; this one comes too late.
      await sql`
        insert into node_drafts (metadata_id, graph_id, epoch, document, unsaved, updated_by)
        select ${row.metadata_id}, id, ${row.epoch}::uuid, ${row.document}, ${row.unsaved}, ${row.updated_by}::uuid
        from graphs where id = ${row.graph_id}
        on conflict (metadata_id) do update set epoch = excluded.epoch, document = excluded.document,
          unsaved = excluded.unsaved, updated_by = excluded.updated_by, updated_at = now()`.execute(db);
    },

    /** With its lock, for as long as the transaction lasts. */
    lockDraft: (metadataId: number) =>
      db
        .selectFrom("node_drafts")
        .select(["epoch", "document", "unsaved", "updated_by"])
        .where("metadata_id", "=", metadataId)
        .forUpdate()
        .executeTakeFirst(),

    /** Unless there is one already. */
    makeDraft: async (metadataId: number, graphId: string, epoch: string, document: Buffer) => {
      await sql`
        insert into node_drafts (metadata_id, graph_id, epoch, document, unsaved)
        select ${metadataId}, id, ${epoch}::uuid, ${document}, false from graphs where id = ${graphId}
        on conflict (metadata_id) do nothing`.execute(db);
    },

    /** True for one of those who ask: it lets the draft follow the code of that revision. */
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
        .leftJoin("accounts", "accounts.id", "node_drafts.updated_by")
        .select(["node_drafts.metadata_id", "node_drafts.updated_at", "accounts.username"])
        .where("node_drafts.graph_id", "=", graphId)
        .where("node_drafts.unsaved", "=", true)
        .orderBy("node_drafts.metadata_id")
        .execute(),

    sweep: async (keepDays: number) => {
      await sql`delete from node_drafts as kept where not unsaved and updated_at < now() - make_interval(days => ${keepDays})
        or not ${isKnown}`.execute(db);
      await sql`delete from node_commits as kept where not ${isKnown}`.execute(db);
      await sql`delete from node_git as kept where not ${isKnown}`.execute(db);
    },
  };
}
