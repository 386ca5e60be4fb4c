import { messages } from "@miranda/contract/errors.ts";
import type { MergeBody, MergePreview, Origin, RestoredVersion } from "@miranda/contract/schemas/versions.ts";

import { AppError } from "../../platform/errors/app-error.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Graphs } from "../graphs/graphs-service.ts";
import type { GraphChanges } from "../nodes/graph-changes-service.ts";
import type { Right } from "../projects/projects-service.ts";
import { compareInSlices } from "../versions/compare/compare-contents.ts";
import { mergeBaseQueries } from "../versions/merge-bases-queries.ts";
import type { Versions } from "../versions/versions-service.ts";
import { refuseUndecided } from "./decisions.ts";
import { mergeInSlices } from "./merge-contents.ts";
import { findRevision } from "./merges-queries.ts";

export type Merges = ReturnType<typeof createMerges>;

interface Dependencies {
  db: Db;
  graphs: Pick<Graphs, "getGraph">;
  changes: GraphChanges;
  versions: Pick<Versions, "store" | "makeAutomatic" | "makeRoom" | "replaceContent">;
}

/** Brings changes from one workflow (theirs) into another (mine). */
export function createMerges({ db, graphs, changes, versions }: Dependencies) {
  const { store } = versions;

  /** Both workflows, as far as the caller may use them. */
  async function getPair(caller: Caller, graphId: string, from: string, right: Right) {
    const mine = await graphs.getGraph(caller, graphId, right);
    if (from === graphId) throw new AppError("merge_with_itself");
    const theirs = await findGraph(caller, from);
    if (!theirs) throw new AppError("merge_source_gone");
    // Otherwise a reader of a private workflow could publish it with one click.
    const wouldPublish = theirs.visibility === "private" && mine.visibility === "public";
    if (wouldPublish && theirs.access === "viewer") throw new AppError("merge_needs_private");
    // Everybody in mine sees the name. It stays hidden where some of them may not read theirs.
    const isReadByAll = theirs.visibility === "public" || theirs.project_id === mine.project_id;
    return { sourceName: isReadByAll ? theirs.name : undefined };
  }

  async function findGraph(caller: Caller, id: string) {
    return graphs.getGraph(caller, id, "read").catch((error: unknown) => {
      if (error instanceof AppError && error.code === "graph_not_found") return undefined;
      throw error;
    });
  }

  /** Null when there is no common version, or it is damaged. Then every difference is a conflict, and nothing is lost. */
  async function readBase(pair: { base_parts: Buffer[] } | undefined, one: string, other: string, from: Db = db) {
    const parts = pair?.base_parts ?? (await mergeBaseQueries(from).findShared(one, other));
    if (!parts) return null;
    return store.readParts(parts, from).catch((error: unknown) => {
      if (error instanceof AppError && error.code === "version_damaged") return null;
      throw error;
    });
  }

  return {
    /** Where a clone came from. */
    async origin(caller: Caller, graphId: string): Promise<Origin> {
      await graphs.getGraph(caller, graphId, "read");
      const row = await mergeBaseQueries(db).findOrigin(graphId);
      if (!row) throw new AppError("not_a_clone");
      const origin = row.origin_id === null ? undefined : await findGraph(caller, row.origin_id);
      const project = origin && { id: origin.project_id, name: origin.project_name };
      return {
        graph: origin && project ? { id: origin.id, name: origin.name, project } : null,
        time_based: row.based_at.toISOString(),
      };
    },

    /** What a merge would do. Changes nothing. */
    async preview(caller: Caller, graphId: string, from: string): Promise<MergePreview> {
      await getPair(caller, graphId, from, "read");
      const [theirs, mine] = [await store.present(from), await store.present(graphId)];
      const base = await readBase(await mergeBaseQueries(db).find(graphId, from), graphId, from);
      const { merged, conflicts } = await mergeInSlices({ base, theirs: theirs.content, mine: mine.content }, {});
      return {
        theirs_revision: theirs.revision,
        mine_revision: mine.revision,
        has_base: base !== null,
        comparison: await compareInSlices(mine.content, merged),
        conflicts,
      };
    },

    /** One change of mine. The workflow as it was is kept as a version. */
    async merge(
      caller: Caller,
      graphId: string,
      { from, theirs_revision, mine_revision, resolutions }: MergeBody,
    ): Promise<RestoredVersion> {
      const { sourceName } = await getPair(caller, graphId, from, "write");
      // Before the transaction, so that theirs need not be locked: two merges in both directions would wait for each other.
      const theirs = await store.present(from);
      const done = await changes.commit(caller, graphId, async (trx) => {
        const bases = mergeBaseQueries(trx);
        const pair = await bases.lock(graphId, from);
        const mine = await store.contentOfGraph(trx, graphId);
        // The revision of this change is counted already.
        const isOutdated = mine.revision - 1 !== mine_revision || theirs.revision !== theirs_revision;
        if (isOutdated || (await findRevision(trx, from)) !== theirs_revision) throw new AppError("merge_outdated");
        const base = await readBase(pair, graphId, from, trx);
        const sides = { base, theirs: theirs.content, mine: mine.content };
        const { merged, conflicts } = await mergeInSlices(sides, resolutions);
        refuseUndecided(conflicts, resolutions);
        const { nodes, edges, groups } = await compareInSlices(mine.content, merged);
        const isSame = nodes.length + edges.length + groups.length === 0;
        if (isSame && conflicts.length === 0) throw new AppError("nothing_to_merge");
        const before = await versions.makeAutomatic(trx, graphId, "merge", caller.accountId);
        const change = await versions.replaceContent(trx, caller, graphId, merged, {
          message: messages.mergedFrom(sourceName),
          trusted: [theirs.content, mine.content],
        });
        // Both now have everything that theirs has. Whatever else mine has is a change of its own.
        if (pair) await bases.replace(pair.graph_id, graphId, await store.storeContent(trx, theirs.content));
        return {
          answer: { before },
          change: (reader) => ({ ...change(reader), ...(sourceName !== undefined && { merged_from: sourceName }) }),
          because: "merge",
        };
      });
      await versions.makeRoom(graphId, done.before.id);
      return done;
    },
  };
}
