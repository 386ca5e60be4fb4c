import { graph as limits } from "../../limits.ts";

import { AppError } from "../../platform/errors/app-error.ts";
import type { Db } from "../../platform/database/database.ts";
import { bytesOf, countNodes } from "./graph-room-queries.ts";

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
      if ((await bytesOf(trx, graphId)) <= limits.bytesMax) return;
      // What is refused is not there; the next small change must be measured again.
      unmeasured.set(graphId, worthMeasuring);
      throw new AppError("graph_too_large");
    },

    async refuseTooMany(trx: Db, graphId: string): Promise<void> {
      if ((await countNodes(trx, graphId, nodesMost + 1)) > nodesMost) throw new AppError("too_many_nodes");
    },
  };
}
