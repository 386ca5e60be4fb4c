import { graph as limits } from "../../limits.ts";

import { AppError } from "../../platform/errors/app-error.ts";
import type { Db } from "../../platform/database/database.ts";
import { bytesOf, countNodes } from "./graph-room-queries.ts";

export type GraphRoom = ReturnType<typeof createGraphRoom>;

/** Measuring reads the whole graph, so small changes are added up until this many bytes. */
const worthMeasuring = 64 * 1024;
const rememberedMost = 10_000;

/**
 * Limits the size of a graph: every client that opens it, and the server, must hold all of it. Call it inside the
 * transaction that locks the graph's row, after all writes.
 */
export function createGraphRoom(nodesMost: number) {
  const unmeasured = new Map<string, number>();

  /** Whether enough was added since the last measurement. */
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
      if ((await bytesOf(trx, graphId)) <= limits.bytesMax) return;
      // Refused: measure again at the next small change.
      unmeasured.set(graphId, worthMeasuring);
      throw new AppError("graph_too_large");
    },

    async refuseTooMany(trx: Db, graphId: string): Promise<void> {
      if ((await countNodes(trx, graphId, nodesMost + 1)) > nodesMost) throw new AppError("too_many_nodes");
    },
  };
}
