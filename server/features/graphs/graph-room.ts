import { graph as limits } from "@miranda/contract/limits.ts";
import { sql } from "kysely";

import { AppError } from "../../platform/app-error.ts";
import type { Db } from "../../platform/database.ts";

/** What adds less is not worth measuring all of the graph for. */
const worthMeasuring = 64 * 1024;

/**
 * Refuses what has made a graph too large to be opened: reading it would take the server's memory. To be asked inside the
 * transaction that holds the graph's row, when everything is written.
 */
export async function refuseTooLarge(trx: Db, graphId: string, added: number): Promise<void> {
  if (added < worthMeasuring) return;
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(octet_length(source_code) + octet_length(api::text) + octet_length(field_values::text)), 0)
      as bytes
    from nodes where graph_id = ${graphId}`.execute(trx);
  if (Number(rows[0]?.bytes) > limits.bytesMax) throw new AppError("graph_too_large");
}
