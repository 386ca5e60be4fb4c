import { sql } from "kysely";

import { newId } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";

/** How many merges of a clone can be undone by restoring an older version. */
const earlierMost = 20;

/** What a clone and its origin have in common. The database or a transaction. */
export function mergeBaseQueries(db: Db) {
  const pair = (one: string, other: string) =>
    db
      .selectFrom("graph_origins")
      .select(["graph_id", "base_parts"])
      .where((eb) =>
        eb.or([
          eb.and([eb("graph_id", "=", one), eb("origin_id", "=", other)]),
          eb.and([eb("graph_id", "=", other), eb("origin_id", "=", one)]),
        ]),
      );

  return {
    findOrigin: (graphId: string) =>
      db
        .selectFrom("graph_origins")
        .select(["origin_id", "based_at"])
        .where("graph_id", "=", graphId)
        .executeTakeFirst(),

    /** The base of two workflows, one of which is a clone of the other. `graph_id` is the clone. */
    find: (one: string, other: string) => pair(one, other).executeTakeFirst(),

    /** The same for a merge: another merge of the two waits until this transaction ends. */
    lock: (one: string, other: string) => pair(one, other).forNoKeyUpdate().executeTakeFirst(),

    /**
     * What two clones of one workflow have in common: their origin as it was, if neither has merged since. A base of a
     * later merge may have edits that the other clone never had. Those would look removed there.
     */
    findShared: async (one: string, other: string): Promise<Buffer[] | undefined> => {
      const { rows } = await sql<{ base_parts: Buffer[] }>`
        select one.base_parts from graph_origins as one
        join graph_origins as other on other.origin_id = one.origin_id and other.base_parts = one.base_parts
        where one.graph_id = ${one} and other.graph_id = ${other}`.execute(db);
      return rows[0]?.base_parts;
    },

    /** Gives a clone and its origin a new base after a merge into one of them, and keeps the one before. */
    replace: async (cloneId: string, into: string, parts: readonly Buffer[]): Promise<void> => {
      await sql`
        insert into earlier_bases (id, graph_id, into_id, base_parts, based_at)
        select ${newId()}::uuid, graph_id, ${into}::uuid, base_parts, based_at from graph_origins where graph_id = ${cloneId}`.execute(
        db,
      );
      await sql`
        update graph_origins set base_parts = ${parts}::bytea[], based_at = now() where graph_id = ${cloneId}`.execute(
        db,
      );
      await sql`
        delete from earlier_bases where id in (
          select id from earlier_bases where graph_id = ${cloneId} order by id desc offset ${earlierMost})`.execute(db);
    },

    /**
     * A workflow becomes what it was at one of its versions. What was merged into it since then is undone, so it has the
     * base of that time again. Otherwise an undone merge could not be made again, and the undoing would be brought to
     * the other side as an edit.
     */
    goBack: async (graphId: string, versionId: string): Promise<void> => {
      await sql`
        with first as (
          select distinct on (graph_id) graph_id, base_parts, based_at, replaced_at from earlier_bases
          where into_id = ${graphId}
            and replaced_at >= (select created_at from graph_versions where id = ${versionId})
          order by graph_id, replaced_at
        ), undone as (
          delete from earlier_bases using first
          where earlier_bases.graph_id = first.graph_id and earlier_bases.replaced_at >= first.replaced_at
        )
        update graph_origins set base_parts = first.base_parts, based_at = first.based_at
        from first where graph_origins.graph_id = first.graph_id`.execute(db);
    },
  };
}
