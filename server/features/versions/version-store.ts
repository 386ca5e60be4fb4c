import { AppError } from "../../platform/errors/app-error.ts";
import type { Db } from "../../platform/database/database.ts";
import { housekeeping } from "../../limits.ts";
import { contentOfRows } from "./store/content-of-rows.ts";
import { contentOfParts, type VersionContent } from "./version-content.ts";
import { compressPart, packParts, type PackedPart, unpackPart } from "./store/version-parts.ts";
import { versionStoreQueries } from "./store/version-store-queries.ts";

export type VersionStore = ReturnType<typeof createVersionStore>;

// Parts that are compressed or read at the same time. Each has some hundred kilobytes.
const partsAtOnce = 8;

/** Stores versions by content: each part once, whoever uses it. */
export function createVersionStore(db: Db) {
  async function contentOfGraph(trx: Db, graphId: string): Promise<{ content: VersionContent; revision: number }> {
    const queries = versionStoreQueries(trx);
    const revision = await queries.revision(graphId);
    if (revision === undefined) throw new AppError("graph_not_found");
    const nodes = await queries.nodes(graphId);
    const edges = await queries.edges(graphId);
    const groups = await queries.groups(graphId);
    return { content: await contentOfRows({ nodes, edges, groups }), revision };
  }

  return {
    /** For a transaction that holds the graph's lock or reads one snapshot. */
    contentOfGraph,

    /** The graph as it is at one moment. */
    present: (graphId: string): Promise<{ content: VersionContent; revision: number }> =>
      db
        .transaction()
        .setIsolationLevel("repeatable read")
        .setAccessMode("read only")
        .execute((trx) => contentOfGraph(trx, graphId)),

    /** Stores what is not stored yet. The parts stay as long as a version or an origin of the same transaction names them. */
    async storeContent(trx: Db, content: VersionContent): Promise<Buffer[]> {
      const parts = await packParts(content);
      const queries = versionStoreQueries(trx);
      const known = new Set((await queries.reuse(parts.map(({ hash }) => hash))).map((hash) => hash.toString("hex")));
      // In one order: two transactions that store the same parts must not wait for each other.
      const missing = parts
        .filter(({ hash }) => !known.has(hash.toString("hex")))
        .toSorted((one, other) => one.hash.compare(other.hash));
      for (let at = 0; at < missing.length; at += partsAtOnce)
        await queries.add(await Promise.all(missing.slice(at, at + partsAtOnce).map(compressed)));
      return parts.map(({ hash }) => hash);
    },

    /** Refuses when a part is missing or damaged. Inside a transaction give it: a second connection may not be free. */
    async readParts(hashes: readonly Buffer[], from: Db = db): Promise<VersionContent> {
      const rows = hashes.length > 0 ? await versionStoreQueries(from).parts(hashes) : [];
      if (rows.length < new Set(hashes.map((hash) => hash.toString("hex"))).size) throw new AppError("version_damaged");
      const parts = [];
      for (let at = 0; at < rows.length; at += partsAtOnce) {
        const some = rows.slice(at, at + partsAtOnce);
        parts.push(...(await Promise.all(some.map(({ content }) => unpackPart(content)))));
      }
      return contentOfParts(parts);
    },

    /** Removes parts of removed versions a day later. */
    async *sweep(): AsyncGenerator<void> {
      for (let found: number = housekeeping.rows; found >= housekeeping.rows;) {
        found = await versionStoreQueries(db).removeLoose();
        yield;
      }
    },
  };
}

async function compressed(part: PackedPart): Promise<{ hash: Buffer; content: Buffer; files: string[] }> {
  return { hash: part.hash, content: await compressPart(part), files: part.files };
}
