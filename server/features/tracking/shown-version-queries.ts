import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";

/** Inside a transaction. The list shows the newest version of a model that is not in the trash. */
export async function showNewest(trx: Db, modelId: string): Promise<void> {
  await sql`
    update models set metrics = newest.metrics, hardware = newest.hardware, miranda_version = newest.miranda_version,
      run_id = newest.run_id, node_id = newest.node_id, updated_at = now(),
      authors = case when newest.author = '' then models.authors else array[newest.author] end,
      graph_id = (select id from graphs where id = newest.graph_id and project_id = models.project_id)
    from (
      select metrics, hardware, miranda_version, run_id, node_id, graph_id, author from model_versions
      where model_id = ${modelId} and deleted_at is null order by number desc limit 1
    ) as newest where models.id = ${modelId}`.execute(trx);
}
