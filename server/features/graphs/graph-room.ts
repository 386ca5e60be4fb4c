import { graph as limits } from "../../limits.ts";
import { sql } from "kysely";

import { AppError } from "../../platform/app-error.ts";
import type { Db } from "../../platform/database.ts";

export type GraphRoom = ReturnType<typeof createGraphRoom>;

/** Measuring means looking at all of a graph: small changes are added up until they are worth it. */
const worthMeasuring = 64 * 1024;
const rememberedMost = 10_000;

/**
 * How much a graph may hold: whoever opens it, and the server on the way, has to hold all of it. To be asked inside the
 * transaction that holds the graph's row, when everything is written.
 */
export function createGraphRoom(nodesMost: number) {
  const unmeasured = new Map<string, number>();

  /** Whether enough was added since the last measuring. Many small changes come to as much as a large one. */
  function isWorthMeasuring(graphId: string, added: number): boolean {
    const sum = (unmeasured.get(graphId) ?? 0) + added;
    unmeasured.delete(graphId);
    if (sum >= worthMeasuring) return true;
    if (unmeasured.size >= rememberedMost) unmeasured.delete(unmeasured.keys().next().value ?? "");
    unmeasured.set(graphId, sum);
    return false;
  }

  return {
    async refuseTooLarge(trx: Db, graphId: string, added: number): Promise<void> {
      if (added <= 0 || !isWorthMeasuring(graphId, added)) return;
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
      if (Number(rows[0]?.bytes) <= limits.bytesMax) return;
      // What is refused is not there; the next small change must be measured again.
      unmeasured.set(graphId, worthMeasuring);
      throw new AppError("graph_too_large");
    },

    async refuseTooMany(trx: Db, graphId: string): Promise<void> {
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from (select from nodes where graph_id = ${graphId} limit ${nodesMost + 1}) as counted`.execute(
        trx,
      );
      if (Number(rows[0]?.count) > nodesMost) throw new AppError("too_many_nodes");
    },
  };
}
