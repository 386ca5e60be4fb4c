import type { NodeApi } from "@miranda/contract/schemas/attributes.ts";

import { AppError } from "../../platform/errors/app-error.ts";
import type { Db } from "../../platform/database/database.ts";
import { housekeeping } from "../../limits.ts";
import { contentOfRows } from "./store/content-of-rows.ts";
import { contentOfParts, type VersionContent } from "./version-content.ts";
import { compressPart, packParts, type PackedPart, unpackPart } from "./store/version-parts.ts";
import { versionStoreQueries } from "./store/version-store-queries.ts";

/** A graph at one revision, and its parts when they are packed. */
export interface ReadyContent {
  content: VersionContent;
  revision: number;
  packed?: readonly PackedPart[];
}

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

  const present = (graphId: string): Promise<{ content: VersionContent; revision: number }> =>
    db
      .transaction()
      .setIsolationLevel("repeatable read")
      .setAccessMode("read only")
      .execute((trx) => contentOfGraph(trx, graphId));

  /** The parts of a content, ready to be stored. Those that are stored already are not compressed. */
  async function pack(content: VersionContent): Promise<PackedPart[]> {
    const parts = await packParts(content);
    const stored = hexOf(await versionStoreQueries(db).stored(parts.map(({ hash }) => hash)));
    const packed: PackedPart[] = [];
    for (let at = 0; at < parts.length; at += partsAtOnce)
      packed.push(...(await Promise.all(parts.slice(at, at + partsAtOnce).map(ready))));
    return packed;

    async function ready(part: PackedPart): Promise<PackedPart> {
      return stored.has(part.hash.toString("hex")) ? part : { ...part, compressed: await compressPart(part) };
    }
  }

  return {
    /** For a transaction that holds the graph's lock or reads one snapshot. */
    contentOfGraph,

    /** The graph as it is at one moment. */
    present,

    pack,

    /** The graph as it is, read and packed before a transaction in which others have to wait. */
    async ready(graphId: string): Promise<ReadyContent> {
      const { content, revision } = await present(graphId);
      return { content, revision, packed: await pack(content) };
    },

    /**
     * The graph before a change, in the transaction of the change, which has counted its revision already. What is
     * `ready` is still right when nobody has changed the graph since.
     */
    async before(trx: Db, graphId: string, ready?: ReadyContent): Promise<ReadyContent> {
      if (ready && (await versionStoreQueries(trx).revision(graphId)) === ready.revision + 1) return ready;
      const { content, revision } = await contentOfGraph(trx, graphId);
      return { content, revision: revision - 1 };
    },

    /** Stores what is not stored yet. The parts stay as long as a version or an origin of the same transaction names them. */
    async storeContent(trx: Db, content: VersionContent, packed?: readonly PackedPart[]): Promise<Buffer[]> {
      const parts = packed ?? (await packParts(content));
      const queries = versionStoreQueries(trx);
      const known = hexOf(await queries.reuse(parts.map(({ hash }) => hash)));
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
      if (rows.length < hexOf(hashes).size) throw new AppError("version_damaged");
      const parts = [];
      const apis = new Map<string, NodeApi>();
      for (let at = 0; at < rows.length; at += partsAtOnce) {
        const some = rows.slice(at, at + partsAtOnce);
        parts.push(...(await Promise.all(some.map(({ content }) => unpackPart(content, apis)))));
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

function hexOf(hashes: readonly Buffer[]): Set<string> {
  return new Set(hashes.map((hash) => hash.toString("hex")));
}
