import { messages } from "@miranda/contract/words/messages.ts";
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
  async function readBase(pair: Base | undefined, one: string, other: string) {
    const parts = pair?.base_parts ?? (await mergeBaseQueries(db).findShared(one, other));
    if (!parts) return null;
    return store.readParts(parts).catch((error: unknown) => {
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
      const pair = await mergeBaseQueries(db).find(graphId, from);
      const [theirs, mine, base] = await Promise.all([
        store.present(from),
        store.present(graphId),
        readBase(pair, graphId, from),
      ]);
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
      // Everything is read and merged before the transaction, so that nobody has to wait for it. Theirs is never locked:
      // two merges in both directions would wait for each other.
      const pair = await mergeBaseQueries(db).find(graphId, from);
      const [theirs, mine, base] = await Promise.all([
        store.ready(from),
        store.ready(graphId),
        readBase(pair, graphId, from),
      ]);
      if (mine.revision !== mine_revision || theirs.revision !== theirs_revision) throw new AppError("merge_outdated");
      const sides = { base, theirs: theirs.content, mine: mine.content };
      const { merged, conflicts } = await mergeInSlices(sides, resolutions);
      refuseUndecided(conflicts, resolutions);
      const { nodes, edges, groups } = await compareInSlices(mine.content, merged);
      const isSame = nodes.length + edges.length + groups.length === 0;
      if (isSame && conflicts.length === 0) throw new AppError("nothing_to_merge");
      const done = await changes.commit(caller, graphId, async (trx) => {
        const bases = mergeBaseQueries(trx);
        // Somebody may have changed or merged either side meanwhile. The revision of this change is counted already.
        const held = await bases.lock(graphId, from);
        const revisions = [await findRevision(trx, graphId), await findRevision(trx, from)];
        if (revisions[0] !== mine_revision + 1 || revisions[1] !== theirs_revision || !isSameBase(held, pair))
          throw new AppError("merge_outdated");
        const before = await versions.makeAutomatic(trx, graphId, "merge", caller.accountId, mine);
        const change = await versions.replaceContent(trx, caller, graphId, merged, {
          message: messages.mergedFrom(sourceName),
          trusted: [theirs.content, mine.content],
          now: mine.content,
        });
        // Both now have everything that theirs has. Whatever else mine has is a change of its own.
        if (held)
          await bases.replace(held.graph_id, graphId, await store.storeContent(trx, theirs.content, theirs.packed));
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

interface Base {
  graph_id: string;
  base_parts: Buffer[];
}

function isSameBase(one: Base | undefined, other: Base | undefined): boolean {
  if (!one || !other) return one === other;
  const [some, others] = [one.base_parts, other.base_parts];
  return some.length === others.length && some.every((hash, at) => others[at]?.equals(hash) === true);
}
