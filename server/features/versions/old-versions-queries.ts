import { type RawBuilder, sql } from "kysely";

import { housekeeping } from "../../limits.ts";
import type { Db } from "../../platform/database/database.ts";

/** How automatic versions are thinned out with age: from this age on, one is kept for each hour, day or week. */
const steps = [
  { from: "1 day", unit: "hour" },
  { from: "7 days", unit: "day" },
  { from: "90 days", unit: "week" },
] as const;

/** How long the version of an exported folder is kept. Then it is thinned out like the others. */
const exportsKept = "90 days";

/** Never changed by another server's clock or time zone. */
function unitOf(unit: string, column: RawBuilder<unknown>) {
  return sql`date_trunc(${unit}, ${column} at time zone 'utc')`;
}

export function oldVersionQueries(db: Db) {
  return {
    /** Thins out a batch of automatic versions that have become old enough. Returns how many it looked at. */
    thin: (step: number): Promise<number> =>
      db.transaction().execute(async (trx) => {
        const given = steps[step];
        // Two servers that thin out the same hour at once would both keep a version of it.
        const { rows } = await sql<{ mine: boolean }>`
          select pg_try_advisory_xact_lock(hashtextextended('thin versions', 0)) as mine`.execute(trx);
        if (!given || !rows[0]?.mine) return 0;
        const { from, unit } = given;
        const { rows: seen } = await sql<{ count: number }>`
          with due as (
            select id, graph_id, ${unitOf(unit, sql`created_at`)} as time, created_at from graph_versions
            where number is null and thinned = ${step} and created_at < now() - ${from}::interval
              -- Folders that were exported are merged with them.
              and (reason <> 'export' or created_at < now() - ${exportsKept}::interval)
            order by created_at limit ${housekeeping.rows}
          ), placed as (
            select id, (row_number() over (partition by graph_id, time order by created_at desc, id desc) > 1 or exists (
              select from graph_versions as kept
              where kept.graph_id = due.graph_id and kept.number is null and kept.thinned > ${step}
                and ${unitOf(unit, sql`kept.created_at`)} = due.time))
              -- The page of a run shows what was run, that of a model what made it.
              and not exists (select from runs where runs.version_id = due.id)
              and not exists (select from model_versions where model_versions.version_id = due.id) as is_extra
            from due
          ), removed as (
            delete from graph_versions using placed where graph_versions.id = placed.id and placed.is_extra
          ), marked as (
            update graph_versions set thinned = ${step + 1} from placed
            where graph_versions.id = placed.id and not placed.is_extra
          )
          select count(*) as count from due`.execute(trx);
        return Number(seen[0]?.count);
      }),

    steps: steps.length,

    /**
     * The next workflows that need a version: changed today, changed since their newest version, and that one is an hour
     * old. `after` is the last workflow that was looked at.
     */
    changed: async (after: string) => {
      const { rows } = await sql<{ id: string; is_due: boolean }>`
        select part.id, part.updated_at > now() - interval '1 day' and part.revision > 0 and not exists (
          select from (
            select revision, created_at from graph_versions where graph_id = part.id order by id desc limit 1
          ) as newest
          where newest.revision >= part.revision or newest.created_at > now() - interval '1 hour') as is_due
        from (select id, updated_at, revision from graphs where id > ${after} order by id limit ${housekeeping.rows}) as part
        order by part.id`.execute(db);
      return { last: rows.at(-1)?.id, due: rows.filter(({ is_due }) => is_due).map(({ id }) => id) };
    },
  };
}
