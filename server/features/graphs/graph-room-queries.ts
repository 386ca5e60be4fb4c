import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";

/** The size of a graph's code and values in bytes. */
export async function bytesOf(trx: Db, graphId: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select (
      select coalesce(sum(octet_length(source_code) + octet_length(api::text) + octet_length(field_values::text)
        + octet_length(description) + coalesce(octet_length(body::text), 0)), 0)
      from nodes where graph_id = ${graphId}
    ) + (
      select coalesce(sum(octet_length(segments::text) + octet_length(label) + octet_length(transmitter)
        + octet_length(receiver)), 0)
      from edges where graph_id = ${graphId}
    ) as bytes`.execute(trx);
  return Number(rows[0]?.bytes);
}

/** The number of nodes of a graph. Stops counting at `most`. */
export async function countNodes(trx: Db, graphId: string, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select from nodes where graph_id = ${graphId} limit ${most}) as counted`.execute(
    trx,
  );
  return Number(rows[0]?.count);
}
