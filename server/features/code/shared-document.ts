import { draft as limits, node as nodeLimits } from "@miranda/contract/limits.ts";
import type { CodeDocumentEvent } from "@miranda/contract/schemas/code.ts";
import { Awareness, removeAwarenessStates } from "y-protocols/awareness";
import * as Y from "yjs";

import { newId } from "../../platform/crypto.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { StoredDraft } from "./code-queries.ts";
import type { ClientSocket } from "../realtime/realtime-service.ts";
import { replacements } from "./replacements.ts";
import { safely } from "../../platform/errors/safely.ts";

export interface Writer {
  accountId: string;
  username: string;
}

/** One node's code while somebody has it open. */
export interface SharedDocument {
  readonly metadataId: number;
  readonly graphId: string;
  readonly epoch: string;
  readonly doc: Y.Doc;
  readonly text: Y.Text;
  readonly awareness: Awareness;
  /** The connections that have it open, and their cursors. */
  readonly peers: Map<ClientSocket, Set<number>>;
  /** The node's committed code. */
  code: string;
  /** The node's code that the text started from. Another one than `code` when the code changed below unsaved text. */
  base: string;
  /** The base in the database, as far as this server knows. */
  storedBase: string | null;
  /** The value last published. */
  outdated: boolean;
  locked: boolean;
  gone: boolean;
  /** The value last published. */
  unsaved: boolean;
  writer: Writer | null;
  /** The accounts that have changed it since it was last committed. */
  readonly authors: Set<string>;
  /** The authors last published. */
  publishedAuthors: string;
  bytes: number;
  /** When its text may be tried out again, by the clock of the process. */
  nextTrial: number;
  /** Calls that use the document while nobody has it open. */
  holds: number;
  /** The stored state, as far as this server knows. */
  stored: Buffer | undefined;
  ended: boolean;
}

/** A document with its stored state, or without one with the node's code as its text. */
export function makeDocument(
  metadataId: number,
  { graph_id, locked }: { graph_id: string; locked: boolean },
  code: string,
  stored: StoredDraft | undefined,
): SharedDocument {
  const doc = new Y.Doc();
  const text = doc.getText(limits.textName);
  if (stored) Y.applyUpdate(doc, stored.document);
  else text.insert(0, code);
  const awareness = new Awareness(doc);
  awareness.setLocalState(null);
  return {
    metadataId,
    graphId: graph_id,
    epoch: stored?.epoch ?? newId(),
    doc,
    text,
    awareness,
    peers: new Map(),
    code,
    base: stored?.base ?? code,
    storedBase: stored?.base ?? null,
    outdated: false,
    locked,
    gone: false,
    unsaved: false,
    writer: null,
    authors: new Set(stored?.authors),
    publishedAuthors: "",
    bytes: stored?.document.length ?? code.length,
    nextTrial: 0,
    holds: 0,
    stored: stored?.document,
    ended: false,
  };
}

/** Yjs and editors count a line ending as one character. */
export function oneLineEnd(code: string): string {
  return code.replaceAll(/\r\n?/g, "\n");
}

export function isUnsaved(document: SharedDocument): boolean {
  return document.text.toJSON() !== document.code;
}

/** Whether the code changed below the unsaved text. Committing the text would undo that. */
export function isOutdated(document: SharedDocument): boolean {
  return document.base !== document.code && isUnsaved(document);
}

/** Text that is saved starts from the node's code. */
export function followBase(document: SharedDocument): void {
  if (document.base !== document.code && !isUnsaved(document)) document.base = document.code;
}

/** How many times as long as a trial took until the next one. */
const trialPause = 20;

/** The origin of a change that nobody typed: the text was updated to the node's code. */
export const following = "following";

/** Replaces the text in one step, and keeps all lines that are in both: cursors and comments stay at them. */
export function setText(document: SharedDocument, wanted: string): void {
  const changes = replacements(document.text.toJSON(), wanted);
  if (changes.length === 0) return;
  document.doc.transact(() => {
    // The last one first: the others keep their places.
    for (const { from, remove, insert } of changes.toReversed()) {
      document.text.delete(from, remove);
      document.text.insert(from, insert);
    }
  }, following);
}

/** Applies an update of a client, or refuses all of it. */
export function applyUpdate(
  document: SharedDocument,
  update: Uint8Array,
  writer: Writer,
  origin: ClientSocket | null,
): void {
  const { doc, text } = document;
  if (document.bytes + update.byteLength > limits.bytesMax) throw new AppError("draft_too_large");
  const { inserts, deletes } = readUpdate(doc, update);
  if (text.length + inserts > nodeLimits.sourceCodeMax) {
    if (!deletes) throw new AppError("code_too_long");
    tryOut(document, update);
  }
  document.writer = writer;
  // Sending known text again does not make somebody an author.
  const sign = safely(() => document.authors.add(writer.accountId));
  doc.on("update", sign);
  try {
    Y.applyUpdate(doc, update, origin);
  } catch {
    throw new AppError("bad_request");
  } finally {
    doc.off("update", sign);
  }
  // Until it is saved, and measured: many updates may come before that.
  document.bytes += update.byteLength;
  // An update that builds on a missing one would be kept for ever, unseen.
  if (!doc.store.pendingStructs && !doc.store.pendingDs) return;
  doc.store.pendingStructs = null;
  doc.store.pendingDs = null;
  throw new AppError("draft_out_of_step");
}

/**
 * How many characters an update inserts at most, and whether it deletes any. Applying an update allocates as many parts as
 * it claims: eight bytes would take 256 MB. Reading it first finds them missing. It may contain nothing but text: what
 * nobody sees would have no limit.
 */
function readUpdate({ store }: Y.Doc, update: Uint8Array): { inserts: number; deletes: boolean } {
  const { structs, ds } = decode(update);
  let inserts = 0;
  for (const struct of structs) {
    if (!(struct instanceof Y.Item)) continue;
    const { content, id, length, parent } = struct;
    const isText = content instanceof Y.ContentString || content instanceof Y.ContentDeleted;
    if (!isText || (typeof parent === "string" && parent !== limits.textName)) throw new AppError("bad_request");
    // What is known already is not inserted again.
    if (struct.countable) inserts += Math.min(length, Math.max(0, id.clock + length - Y.getState(store, id.client)));
  }
  return { inserts, deletes: ds.clients.size > 0 };
}

function decode(update: Uint8Array): ReturnType<typeof Y.decodeUpdate> {
  try {
    return Y.decodeUpdate(update);
  } catch {
    throw new AppError("bad_request");
  }
}

/**
 * Only a copy shows how long the text will be: an applied update cannot be undone. Copies take time, so a document has
 * a twentieth of it.
 */
function tryOut(document: SharedDocument, update: Uint8Array): void {
  const began = performance.now();
  if (began < document.nextTrial) throw new AppError("code_too_long");
  const copy = new Y.Doc();
  try {
    Y.applyUpdate(copy, Y.encodeStateAsUpdate(document.doc));
    Y.applyUpdate(copy, update);
  } catch {
    throw new AppError("bad_request");
  } finally {
    const now = performance.now();
    document.nextTrial = now + (now - began) * trialPause;
  }
  if (copy.getText(limits.textName).length > nodeLimits.sourceCodeMax) throw new AppError("code_too_long");
}

export function removePeer(document: SharedDocument, socket: ClientSocket): void {
  const cursors = document.peers.get(socket);
  document.peers.delete(socket);
  if (cursors && cursors.size > 0) removeAwarenessStates(document.awareness, [...cursors], null);
}

/** What a browser needs to show the document. `known` is the state vector of what it has of it. */
export function documentEvent(document: SharedDocument, known?: Uint8Array): CodeDocumentEvent {
  const { metadataId, epoch, doc } = document;
  return { metadata_id: metadataId, epoch, update: missing(doc, known), vector: Y.encodeStateVector(doc) };
}

function missing(doc: Y.Doc, known: Uint8Array | undefined): Uint8Array {
  try {
    return Y.encodeStateAsUpdate(doc, known);
  } catch {
    throw new AppError("bad_request");
  }
}
