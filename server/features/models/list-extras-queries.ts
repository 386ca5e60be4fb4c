import { firstMetric, isLowerBetter } from "@miranda/contract/metrics/metric-direction.ts";
import type { Model } from "@miranda/contract/schemas/models/models.ts";
import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";

export type ListExtras = Pick<Model, "latest_version" | "best" | "aliases" | "stage">;

interface ExtrasRow {
  id: string;
  latest_version: number | null;
  stage: string | null;
  best_number: number | null;
  best_value: number | null;
  aliases: Model["aliases"] | null;
}

/** What the list shows of the versions of these models: the newest, the best, and which have an alias. */
export async function readListExtras(
  db: Db,
  models: readonly { id: string; metrics: Record<string, unknown> }[],
): Promise<Map<string, ListExtras>> {
  if (models.length === 0) return new Map();
  const names = models.map(({ metrics }) => firstMetric(Object.keys(metrics)) ?? "");
  const { rows } = await sql<ExtrasRow>`
    select given.id, newest.number as latest_version, newest.stage, best.number as best_number, best.value as best_value,
      (select jsonb_agg(jsonb_build_object('alias', alias, 'number', number) order by alias collate "C")
        from model_aliases where model_id = given.id) as aliases
    from unnest(${models.map(({ id }) => id)}::uuid[], ${names}::text[], ${names.map(isLowerBetter)}::boolean[])
      as given(id, metric, is_lower)
    left join lateral (select number, stage from model_versions
      where model_id = given.id and deleted_at is null order by number desc limit 1) as newest on true
    left join lateral (select number, (metrics ->> given.metric)::float8 as value from model_versions
      where model_id = given.id and deleted_at is null and jsonb_typeof(metrics -> given.metric) = 'number'
      order by (metrics ->> given.metric)::float8 * case when given.is_lower then 1 else -1 end, number limit 1)
      as best on true`.execute(db);
  const nameOf = new Map(models.map(({ id }, at) => [id, names[at] ?? ""]));
  return new Map(
    rows.map(({ id, best_number: number, best_value: value, ...row }) => [
      id,
      {
        latest_version: row.latest_version ?? 0,
        stage: row.stage ?? "None",
        aliases: row.aliases ?? [],
        best: number === null || value === null ? null : { name: nameOf.get(id) ?? "", value, number },
      },
    ]),
  );
}
