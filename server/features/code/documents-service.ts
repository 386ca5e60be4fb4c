import { draft as limits } from "@miranda/contract/limits.ts";
import type { GraphChange } from "@miranda/contract/schemas/changes.ts";
import type { Draft } from "@miranda/contract/schemas/code.ts";
import { encodeAwarenessUpdate } from "y-protocols/awareness";
import * as Y from "yjs";

import { AppError } from "../../platform/errors/app-error.ts";
import { newId } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";
import type { Realtime } from "../realtime/realtime-service.ts";
import type { ClientSocket } from "../realtime/realtime-service.ts";
import { codeQueries } from "./code-queries.ts";
import { createDocumentSync, fromOtherServer } from "./document-sync.ts";
import {
  documentEvent,
  followBase,
  following,
  isOutdated,
  isUnsaved,
  makeDocument,
  oneLineEnd,
  removePeer,
  setText,
  type SharedDocument,
} from "./shared-document.ts";
import { toAuthor, unsavedIn } from "./unsaved-list.ts";
import { safely } from "../../platform/errors/safely.ts";

export type { SharedDocument };
export type Documents = ReturnType<typeof createDocuments>;

interface Dependencies {
  db: Db;
  realtime: Pick<Realtime, "publish" | "observe" | "otherServers">;
  report(error: unknown): void;
}

const saveAfter = 300;
// A large document is saved whole each time, so it is saved less often.
const bytesPerMillisecond = 500;
/** A clean document larger than this in Yjs is recreated when nobody has it open. */
const startAnewAbove = 1024 * 1024;

/** Keeps the shared documents. Only the server creates them, so that two people never insert the same text twice. */
export function createDocuments({ db, realtime, report }: Dependencies) {
  const queries = codeQueries(db);
  const loading = new Map<number, Promise<SharedDocument>>();
  const loaded = new Map<number, SharedDocument>();
  const timers = new Map<SharedDocument, NodeJS.Timeout>();
  const saving = new Map<SharedDocument, Promise<void>>();
  let isClosed = false;
  const sync = createDocumentSync({
    otherServers: realtime.otherServers,
    find: (metadataId) => loaded.get(metadataId),
    all: () => loaded.values(),
    settle: settleHere,
    report,
  });

  const nodeOf = (metadataId: number) =>
    db
      .selectFrom("nodes")
      .select(["graph_id", "source_code", "locked"])
      .where("metadata_id", "=", metadataId)
      .executeTakeFirst();

  async function load(metadataId: number): Promise<SharedDocument> {
    const row = await nodeOf(metadataId);
    if (!row) throw new AppError("node_not_found");
    const code = oneLineEnd(row.source_code);
    // When several servers open it at once, one creates it.
    if (sync.isShared) await makeDraft(metadataId, row.graph_id, code);
    const stored = await queries.findDraft(metadataId);
    const document = makeDocument(metadataId, row, code, stored);
    const { doc, awareness } = document;
    // It had no unsaved changes when it was closed: update it to the node's code.
    const follows = stored !== undefined && !stored.unsaved;
    if (follows && !sync.isShared) setText(document, code);
    followBase(document);
    document.unsaved = isUnsaved(document);
    document.outdated = isOutdated(document);
    document.publishedAuthors = inOne(document.authors);
    doc.on(
      "update",
      safely((update: Uint8Array, origin: unknown) => {
        followBase(document);
        sendToPeers(document, "code_update", update, origin);
        // Typed text comes from a connection, or from a call that holds the document.
        if (origin !== fromOtherServer) sync.publishUpdate(document, update, origin !== following);
        saveSoon(document);
      }),
    );
    awareness.on(
      "update",
      safely(({ added, updated, removed }: Record<"added" | "updated" | "removed", number[]>, origin: unknown) => {
        // Not by a lookup: the origin may also be no connection, and peers are few.
        const [, own] = [...document.peers].find(([socket]) => socket === origin) ?? [];
        for (const id of added) own?.add(id);
        const update = encodeAwarenessUpdate(awareness, [...added, ...updated, ...removed]);
        sendToPeers(document, "code_awareness", update, origin);
        if (origin !== fromOtherServer) sync.publishAwareness(document, update);
      }),
    );
    loaded.set(metadataId, document);
    // Another server that has it open updates it itself.
    if (sync.isShared && !(await sync.fetch(document)) && follows) setText(document, code);
    return document;
  }

  async function makeDraft(metadataId: number, graphId: string, code: string): Promise<void> {
    const doc = new Y.Doc();
    doc.getText(limits.textName).insert(0, code);
    await queries.makeDraft(metadataId, graphId, newId(), Buffer.from(Y.encodeStateAsUpdate(doc)));
    doc.destroy();
  }

  function sendToPeers(
    document: SharedDocument,
    event: "code_update" | "code_awareness",
    update: Uint8Array,
    origin: unknown,
  ): void {
    for (const socket of document.peers.keys())
      // A person who lost read access stays in the list until their connection is updated.
      if (socket !== origin && socket.data.graphs.has(document.graphId))
        socket.emit(event, { metadata_id: document.metadataId, update });
  }

  function saveSoon(document: SharedDocument): void {
    if (timers.has(document) || isClosed) return;
    const delay = saveAfter + document.bytes / bytesPerMillisecond;
    const timer = setTimeout(
      safely(() => {
        timers.delete(document);
        save(document).catch(report);
      }),
      delay,
    );
    timers.set(document, timer.unref());
  }

  async function save(document: SharedDocument): Promise<void> {
    clearTimeout(timers.get(document));
    timers.delete(document);
    const before = saving.get(document) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(() => write(document));
    saving.set(document, mine);
    try {
      await mine;
    } finally {
      if (saving.get(document) === mine) saving.delete(document);
    }
  }

  async function write(document: SharedDocument): Promise<void> {
    if (sync.isShared) return writeShared(document);
    const state = Buffer.from(Y.encodeStateAsUpdate(document.doc));
    const unsaved = isUnsaved(document);
    if (!unsaved) document.authors.clear();
    const authors = [...document.authors];
    document.bytes = state.length;
    const outdated = isOutdated(document);
    const base = unsaved ? document.base : null;
    await queries.saveDraft({
      metadata_id: document.metadataId,
      graph_id: document.graphId,
      epoch: document.epoch,
      document: state,
      unsaved,
      updated_by: document.writer?.accountId ?? null,
      authors,
      base,
    });
    document.stored = state;
    document.storedBase = base;
    const isTold = unsaved === document.unsaved && outdated === document.outdated;
    if (isTold && inOne(authors) === document.publishedAuthors) return;
    document.unsaved = unsaved;
    document.outdated = outdated;
    document.publishedAuthors = inOne(authors);
    await publishUnsaved(document, authors);
  }

  /** Merges what another server has stored since, so that the last writer loses nothing. */
  async function writeShared(document: SharedDocument): Promise<void> {
    const { before, authors } = await db.transaction().execute(async (trx) => {
      const inside = codeQueries(trx);
      const row = await inside.lockDraft(document.metadataId);
      if (row && row.epoch === document.epoch && !document.stored?.equals(row.document))
        Y.applyUpdate(document.doc, row.document, fromOtherServer);
      // Another server committed the text, or somebody decided there to keep it.
      if (row && row.base !== null && row.base !== document.storedBase) document.base = row.base;
      const state = Buffer.from(Y.encodeStateAsUpdate(document.doc));
      document.bytes = state.length;
      document.unsaved = isUnsaved(document);
      document.outdated = isOutdated(document);
      if (!document.unsaved) document.authors.clear();
      else if (row?.unsaved) for (const author of row.authors) document.authors.add(author);
      const all = [...document.authors];
      await inside.saveDraft({
        metadata_id: document.metadataId,
        graph_id: document.graphId,
        epoch: document.epoch,
        document: state,
        unsaved: document.unsaved,
        updated_by: document.writer?.accountId ?? row?.updated_by ?? null,
        authors: all,
        base: document.unsaved ? document.base : null,
      });
      document.stored = state;
      document.storedBase = document.unsaved ? document.base : null;
      document.publishedAuthors = inOne(all);
      const wasOutdated = row !== undefined && row.base !== null && row.base !== document.code;
      return { before: `${row?.unsaved ?? false} ${wasOutdated} ${inOne(row?.authors ?? [])}`, authors: all };
    });
    if (before !== `${document.unsaved} ${document.outdated} ${inOne(authors)}`)
      await publishUnsaved(document, authors);
  }

  async function publishUnsaved(document: SharedDocument, authors: readonly string[]): Promise<void> {
    const { metadataId: metadata_id, graphId, unsaved, outdated, writer } = document;
    const people = authors.length > 0 ? await queries.peopleOf(authors) : [];
    const by = writer?.username ?? null;
    publishDraft(graphId, { metadata_id, unsaved, outdated, by, authors: people.map(toAuthor) });
  }

  function publishDraft(graphId: string, draft: Omit<Draft, "time">) {
    realtime.publish(graphId, "code_draft", { graph_id: graphId, ...draft, time: new Date().toISOString() });
  }

  async function settleHere(graphId: string): Promise<void> {
    const typed = [...loaded.values()].filter(
      (document) => document.graphId === graphId && (timers.has(document) || saving.has(document)),
    );
    await Promise.all(typed.map(save));
  }

  async function get(metadataId: number): Promise<SharedDocument> {
    for (;;) {
      const promise = loading.get(metadataId) ?? load(metadataId);
      loading.set(metadataId, promise);
      try {
        const document = await promise;
        if (!document.ended) return document;
      } catch (error) {
        loading.delete(metadataId);
        throw error;
      }
    }
  }

  async function release(document: SharedDocument): Promise<void> {
    const isFree = () => document.peers.size === 0 && document.holds === 0 && !document.ended;
    if (!isFree()) return;
    if (timers.has(document) || saving.has(document)) await save(document);
    if (!isFree()) return;
    document.ended = true;
    loading.delete(document.metadataId);
    loaded.delete(document.metadataId);
    document.awareness.destroy();
    const isLarge = !document.unsaved && document.bytes > startAnewAbove;
    if (isLarge && !(await sync.fetch(document))) await queries.dropDraft(document.metadataId);
    document.doc.destroy();
  }

  function codeChanged(document: SharedDocument, code: string, locked: boolean | undefined, revision: number): void {
    const before = document.code;
    const isClean = !isUnsaved(document);
    const wasGone = document.gone;
    document.code = oneLineEnd(code);
    document.locked = locked ?? document.locked;
    document.gone = false;
    if (isClean && !sync.isShared) setText(document, document.code);
    else if (isClean) followOnce(document, before, revision).catch(report);
    followBase(document);
    // Authors from now on are not authors of the committed code.
    if (!isUnsaved(document)) document.authors.clear();
    if (document.stored) saveSoon(document);
    // Browsers show a restored node before it is stored. One that opened the code then was told that there is no node.
    if (wasGone) for (const socket of document.peers.keys()) socket.emit("code_document", documentEvent(document));
  }

  /** If every server with this document changed the text, the new text would appear several times. */
  async function followOnce(document: SharedDocument, before: string, revision: number): Promise<void> {
    if (!(await queries.claimFollowing(document.metadataId, revision))) return;
    if (!document.ended && document.text.toJSON() === before) setText(document, document.code);
  }

  async function readAgain(document: SharedDocument, revision: number): Promise<void> {
    const row = await nodeOf(document.metadataId);
    if (row) codeChanged(document, row.source_code, row.locked, revision);
    else nodeGone(document, "");
  }

  function nodeGone(document: SharedDocument, by: string): void {
    if (document.gone) return;
    document.gone = true;
    for (const socket of document.peers.keys()) socket.emit("code_gone", { metadata_id: document.metadataId, by });
  }

  function observe({ graph_id, by, revision, nodes = [], deleted_nodes = [], reload }: GraphChange): void {
    const each = (metadataId: number, work: (document: SharedDocument) => void) =>
      // After a load in progress, which may have read the old state.
      void loading.get(metadataId)?.then(work).catch(report);
    for (const { metadata_id, source_code, locked } of nodes)
      each(metadata_id, (document) => {
        if (source_code !== undefined) codeChanged(document, source_code, locked, revision);
        else document.locked = locked ?? document.locked;
      });
    for (const id of deleted_nodes) each(id, (document) => nodeGone(document, by));
    if (!reload) return;
    for (const document of loaded.values())
      if (document.graphId === graph_id) readAgain(document, revision).catch(report);
  }
  realtime.observe(observe);

  return {
    /** Holds the document until it is released. A document that nobody has open is saved and closed. */
    async open(metadataId: number, socket: ClientSocket): Promise<SharedDocument> {
      const document = await get(metadataId);
      if (!document.peers.has(socket)) document.peers.set(socket, new Set());
      return document;
    },

    find: (metadataId: number): SharedDocument | undefined => loaded.get(metadataId),

    openBy: (socket: ClientSocket): number =>
      loaded.values().reduce((count, document) => count + (document.peers.has(socket) ? 1 : 0), 0),

    save,

    async leave(metadataId: number, socket: ClientSocket): Promise<void> {
      const document = loaded.get(metadataId);
      if (!document?.peers.has(socket)) return;
      removePeer(document, socket);
      await release(document);
    },

    leaveAll(socket: ClientSocket): void {
      for (const document of loaded.values()) {
        if (!document.peers.has(socket)) continue;
        removePeer(document, socket);
        release(document).catch(report);
      }
    },

    /** Uses a document, open or not. */
    async use<Result>(metadataId: number, work: (document: SharedDocument) => Promise<Result>): Promise<Result> {
      const document = await get(metadataId);
      document.holds += 1;
      try {
        return await work(document);
      } finally {
        document.holds -= 1;
        if (timers.has(document)) await save(document);
        await release(document);
      }
    },

    unsavedIn: (graphId: string): Promise<Draft[]> => unsavedIn(queries, graphId),

    /** Stores all typed text of a graph, on every server. */
    async settle(graphId: string): Promise<void> {
      await Promise.all([settleHere(graphId), sync.settle(graphId)]);
    },

    /**
     * Unsaved code was committed and its rows updated. Where more was typed meanwhile, the next save marks it unsaved
     * again.
     */
    committed(graphId: string, codes: ReadonlyMap<number, string>, clean: readonly number[], by: string): void {
      for (const [id, code] of codes) {
        const document = loaded.get(id);
        if (document) document.base = oneLineEnd(code);
      }
      for (const id of clean) {
        const document = loaded.get(id);
        if (document) Object.assign(document, { unsaved: false, outdated: false, publishedAuthors: "" });
        publishDraft(graphId, { metadata_id: id, unsaved: false, outdated: false, by, authors: [] });
      }
    },

    async close(): Promise<void> {
      isClosed = true;
      await Promise.allSettled([...timers.keys()].map(save));
      for (const document of loaded.values()) document.awareness.destroy();
    },
  };
}

const inOne = (authors: Iterable<string>): string => [...authors].toSorted().join(" ");
