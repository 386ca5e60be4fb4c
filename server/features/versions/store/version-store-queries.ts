import { sql, type SqlBool } from "kysely";

import { housekeeping } from "../../../limits.ts";
import type { Db } from "../../../platform/database/database.ts";
import type { EdgeRow } from "../../../model/graph-rows.ts";
import type { SnapshotGroup, SnapshotNode } from "./content-of-rows.ts";

interface StoredPart {
  hash: Buffer;
  content: Buffer;
  files: string[];
}

/** The database or a transaction. */
export function versionStoreQueries(db: Db) {
  async function stored(hashes: readonly Buffer[]): Promise<Buffer[]> {
    const rows = await db
      .selectFrom("version_parts")
      .select("hash")
      .where(sql<SqlBool>`hash = any(${hashes}::bytea[])`)
      .execute();
    return rows.map(({ hash }) => hash);
  }

  return {
    revision: async (graphId: string): Promise<number | undefined> =>
      (await db.selectFrom("graphs").select("revision").where("id", "=", graphId).executeTakeFirst())?.revision,

    nodes: (graphId: string): Promise<SnapshotNode[]> =>
      db
        .selectFrom("nodes")
        .select(["metadata_id", "lineage", "class", "name", "description", "order", "x", "y", "colour", "field_values"])
        .select(["body", "source_code", "tags", "locked", "git", "git_branch", "update_policy", "template_id"])
        .select(["template_ref", "template_version", sql<string>`api::text`.as("api")])
        .where("graph_id", "=", graphId)
        .execute(),

    edges: (graphId: string): Promise<EdgeRow[]> =>
      db
        .selectFrom("edges")
        .select(["source_id", "transmitter", "target_id", "receiver", "segments", "label"])
        .where("graph_id", "=", graphId)
        .execute(),

    groups: (graphId: string): Promise<SnapshotGroup[]> =>
      db
        .selectFrom("node_groups")
        .select(["lineage", "name", "colour", "collapsed", "members"])
        .where("graph_id", "=", graphId)
        .execute(),

    /**
     * Those of the parts that are stored already. They will not be removed before this transaction ends: the removal
     * leaves parts alone that were used within a day.
     */
    async reuse(hashes: readonly Buffer[]): Promise<Buffer[]> {
      await sql`
        update version_parts set created_at = now() where hash = any(array(
          select hash from version_parts
          where hash = any(${hashes}::bytea[]) and created_at < now() - interval '1 hour'
          order by hash for no key update))`.execute(db);
      // After the update: a part that was being removed is gone now.
      return stored(hashes);
    },

    /** Those of the parts that are stored now. They may be removed at any time. */
    stored,

    /** A part that another transaction has stored meanwhile stays as it is. */
    add: async (parts: readonly StoredPart[]): Promise<void> => {
      const hashes = parts.map(({ hash }) => hash);
      const contents = parts.map(({ content }) => content);
      const files = parts.map((part) => JSON.stringify(part.files));
      await sql`
        insert into version_parts (hash, content, files)
        select hash, content, array(select jsonb_array_elements_text(files::jsonb))
        from unnest(${hashes}::bytea[], ${contents}::bytea[], ${files}::text[]) as given(hash, content, files)
        on conflict (hash) do nothing`.execute(db);
    },

    parts: (hashes: readonly Buffer[]) =>
      db
        .selectFrom("version_parts")
        .select(["hash", "content"])
        .where(sql<SqlBool>`hash = any(${hashes}::bytea[])`)
        .execute(),

    /** Removes a batch of parts of removed versions that nothing uses. Returns how many it looked at. */
    removeLoose: async (): Promise<number> => {
      const { numAffectedRows } = await sql`
        with loose as (
          select hash from loose_parts where since < now() - interval '1 day'
          order by since limit ${housekeeping.rows} for update skip locked
        ), removed as (
          -- A part that is being used again has a new time by now.
          delete from version_parts using loose
          where version_parts.hash = loose.hash and version_parts.created_at < now() - interval '1 day'
            and not exists (select from graph_versions where parts @> array[loose.hash])
            and not exists (select from graph_origins where base_parts @> array[loose.hash])
            and not exists (select from earlier_bases where base_parts @> array[loose.hash])
        )
        delete from loose_parts using loose where loose_parts.hash = loose.hash`.execute(db);
      return Number(numAffectedRows ?? 0);
    },
  };
}
