import { batch } from "@miranda/contract/limits.ts";
import type { GraphChange } from "@miranda/contract/schemas/changes.ts";

import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { Db } from "../../platform/database/database.ts";
import { countRevision } from "./graph-changes-queries.ts";
import type { Realtime } from "../realtime/realtime-service.ts";

/** What is published about a change. Readers may get less. */
export type ChangeView = (reader: boolean) => Omit<GraphChange, "graph_id" | "revision" | "by" | "because">;

/** For large changes: everybody fetches the graph again. */
export const reloadAll: ChangeView = () => ({ reload: true });

export interface Outcome<Answer> {
  answer: Answer;
  change: ChangeView;
  /** Why the workflow changed as a whole: the others see a notice. */
  because?: GraphChange["because"];
}

export type GraphChanges = ReturnType<typeof createGraphChanges>;

const viewsMost = 12;

/** Makes every change of a graph one transaction with a revision of its own, and publishes it. */
export function createGraphChanges({ db, realtime }: { db: Db; realtime: Pick<Realtime, "publish"> }) {
  function publishChange(
    caller: Caller,
    graphId: string,
    revision: number,
    viewFor: ChangeView,
    because?: GraphChange["because"],
  ): void {
    const base = { graph_id: graphId, revision, by: caller.username, ...(because && { because }) };
    const change = viewFor(false);
    const large = (change.nodes ?? []).filter((node) => node.api !== undefined);
    if (large.length > batch.eventNodesMax) {
      realtime.publish(graphId, "update[GRAPH]", { ...base, reload: true });
      return;
    }
    realtime.publish(graphId, "update[GRAPH]", { ...base, ...change }, { ...base, ...viewFor(true) });
    const touched = new Set([
      ...(change.nodes ?? []).map((node) => node.metadata_id),
      ...(change.attributes ?? []).map((attribute) => attribute.metadata_id),
      ...Object.keys(change.disabled ?? {}).map(Number),
    ]);
    if (touched.size > viewsMost) return;
    for (const metadata_id of touched) realtime.publish(graphId, "update[VIEW]", { metadata_id, revision });
  }

  /** Locks the graph's row until the transaction ends. */
  async function nextRevision(trx: Db, graphId: string, { accountId }: Pick<Caller, "accountId">): Promise<number> {
    const revision = await countRevision(trx, graphId, accountId);
    if (revision === undefined) throw new AppError("graph_not_found");
    return revision;
  }

  return {
    publish: publishChange,
    nextRevision,

    /**
     * The row's lock makes changes of one graph wait for each other, so what `work` checks stays true until it is done.
     */
    async commit<Answer>(
      caller: Caller,
      graphId: string,
      work: (trx: Db) => Promise<Outcome<Answer>>,
    ): Promise<Answer & { revision: number }> {
      const { revision, outcome } = await db.transaction().execute(async (trx) => {
        const next = await nextRevision(trx, graphId, caller);
        return { revision: next, outcome: await work(trx) };
      });
      publishChange(caller, graphId, revision, outcome.change, outcome.because);
      return { ...outcome.answer, revision };
    },
  };
}
