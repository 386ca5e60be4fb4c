import type { Version, VersionReason } from "@miranda/contract/schemas/versions.ts";

import { AppError } from "../../platform/errors/app-error.ts";
import { newId } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";
import { addWithinQuota, lockQuota } from "../../platform/limits/quota-lock.ts";
import { housekeeping } from "../../limits.ts";
import { contentOfRows, type Snapshot } from "./store/content-of-rows.ts";
import { oldVersionQueries } from "./old-versions-queries.ts";
import type { VersionContent } from "./version-content.ts";
import { isWhole, toVersion } from "./version-rows.ts";
import type { VersionRoom } from "./store/version-room.ts";
import type { PackedPart } from "./store/version-parts.ts";
import type { ReadyContent, VersionStore } from "./version-store.ts";
import { versionQueries, type VersionRow } from "./versions-queries.ts";

type AutomaticReason = Exclude<VersionReason, "named">;

interface Made {
  graphId: string;
  reason: AutomaticReason;
  accountId: string | null;
  revision: number;
  content: () => Promise<VersionContent>;
  /** Its parts, when they are packed already. */
  packed?: readonly PackedPart[] | undefined;
}

interface Dependencies {
  db: Db;
  store: VersionStore;
  room: Pick<VersionRoom, "makeRoom">;
  /** Tells everybody in a workflow that its list of versions has changed. */
  announce: (graphId: string) => void;
}

export type AutomaticVersions = ReturnType<typeof createAutomaticVersions>;

/** Versions that the server makes itself. None is made when the newest version has the same revision. */
export function createAutomaticVersions({ db, store, room, announce }: Dependencies) {
  async function make(trx: Db, { graphId, reason, accountId, revision, ...given }: Made): Promise<VersionRow> {
    const queries = versionQueries(trx);
    const newest = await queries.newest(graphId);
    if (isWhole(newest, revision) && (reason !== "export" || isKeptLong(newest))) return newest;
    const whole = await given.content();
    const parts = await store.storeContent(trx, whole, given.packed);
    const id = newId();
    const [node_count, edge_count] = [whole.nodes.size, whole.edges.size];
    const row = { id, graph_id: graphId, reason, author_id: accountId, revision, node_count, edge_count, parts };
    await queries.insertAutomatic(row);
    const made = await queries.find(graphId, id);
    if (!made) throw new AppError("graph_not_found");
    return made;
  }

  const old = oldVersionQueries(db);

  async function makeOf(
    graphId: string,
    reason: AutomaticReason,
    accountId: string | null,
    { revision, content }: Pick<Made, "revision" | "content">,
  ): Promise<boolean> {
    // Most runs change nothing: look before waiting.
    if (isWhole(await versionQueries(db).newest(graphId), revision)) return false;
    const made = await addWithinQuota(db, { what: "versions", owner: graphId }, (trx) =>
      make(trx, { graphId, reason, accountId, revision, content }),
    ).catch(ignoreDeleted);
    if (made) await room.makeRoom(graphId, made.id);
    return made !== undefined;
  }

  return {
    /** Before a change of the workflow, as the first step of its transaction. `given` is what `store.before` returned. */
    async makeBefore(
      trx: Db,
      graphId: string,
      reason: AutomaticReason,
      accountId: string,
      given?: ReadyContent,
    ): Promise<Version> {
      const { content, revision, packed } = given ?? (await store.before(trx, graphId));
      return toVersion(await make(trx, { graphId, reason, accountId, revision, content: async () => content, packed }));
    },

    /** The workflow as it is, as a version that a folder names. */
    async makeExport(
      graphId: string,
      accountId: string | null,
    ): Promise<{ version: Version; content: VersionContent }> {
      const { content, revision } = await store.present(graphId);
      const made: Made = { graphId, reason: "export", accountId, revision, content: async () => content };
      const row = await addWithinQuota(db, { what: "versions", owner: graphId }, (trx) => make(trx, made));
      await room.makeRoom(graphId, row.id);
      return { version: toVersion(row), content };
    },

    /**
     * Made of the rows that a run was given. Waits while another version of this workflow is being made. Returns the id of
     * the version; undefined when the workflow was deleted.
     */
    async makeOfRuns(
      graphId: string,
      accountId: string | null,
      rows: Snapshot,
      times: number,
    ): Promise<string | undefined> {
      const { revision } = rows;
      await makeOf(graphId, "run", accountId, { revision, content: () => contentOfRows(rows) });
      const id = await versionQueries(db).countRuns(graphId, revision, times);
      announce(graphId);
      return id;
    },

    /** Of a workflow that is still as a run was given it. Undefined when it has changed since, and no version is of that time. */
    async makeOfEarlierRun(graphId: string, accountId: string | null, revision: number): Promise<string | undefined> {
      const present = await store.present(graphId).catch(ignoreDeleted);
      if (present?.revision === revision)
        await makeOf(graphId, "run", accountId, { revision, content: async () => present.content });
      return versionQueries(db).countRuns(graphId, revision, 1);
    },

    /** Keeps the rows that a clone and its source have in common. Call it in the transaction that adds the clone. */
    async rememberClone(
      trx: Db,
      given: { source: string; copy: string; accountId: string | null; rows: Snapshot },
    ): Promise<void> {
      const { source, copy, accountId, rows } = given;
      await lockQuota(trx, { what: "versions", owner: source });
      const content = () => contentOfRows(rows);
      const { parts } = await make(trx, {
        graphId: source,
        reason: "clone",
        accountId,
        revision: rows.revision,
        content,
      });
      await versionQueries(trx).insertOrigin({ graph_id: copy, origin_id: source, base_parts: parts });
    },

    /** A chore: one version for each hour of work. */
    async *keepHours(): AsyncGenerator<void> {
      for (let last: string | undefined = firstId; last !== undefined;) {
        const { due, last: next }: Awaited<ReturnType<typeof old.changed>> = await old.changed(last);
        for (const graphId of due) {
          const present = await store.present(graphId).catch(ignoreDeleted);
          const made =
            present &&
            (await makeOf(graphId, "hour", null, { revision: present.revision, content: async () => present.content }));
          if (made) announce(graphId);
          yield;
        }
        last = next;
        yield;
      }
    },

    /** A chore: fewer versions with age, then the parts that nothing uses any more. */
    async *sweep(): AsyncGenerator<void> {
      for (let step = 0; step < old.steps; step++)
        for (let seen: number = housekeeping.rows; seen >= housekeeping.rows;) {
          seen = await old.thin(step);
          yield;
        }
      yield* store.sweep();
    },
  };
}

/** Versions that people made, and those of exported folders, are not thinned out after a day. */
function isKeptLong({ number, reason }: VersionRow): boolean {
  return number !== null || reason === "export";
}

const firstId = "00000000-0000-0000-0000-000000000000";

/** A workflow may be deleted at any time. */
function ignoreDeleted(error: unknown): undefined {
  if (error instanceof AppError && error.code === "graph_not_found") return undefined;
  throw error;
}
