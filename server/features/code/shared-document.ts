import { draft as limits, node as nodeLimits } from "@miranda/contract/limits.ts";
import { Awareness, removeAwarenessStates } from "y-protocols/awareness";
import * as Y from "yjs";

import { AppError } from "../../platform/errors/app-error.ts";
import type { ClientSocket } from "../realtime/realtime-service.ts";
import { replacement } from "@miranda/contract/replacement.ts";

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
  /** Who has it open, and which cursors are theirs. */
  readonly peers: Map<ClientSocket, Set<number>>;
  /** The code the node has. */
  code: string;
  locked: boolean;
  gone: boolean;
  /** What everybody was last told. */
  unsaved: boolean;
  writer: Writer | null;
  /** The accounts that have changed it since it was last committed. */
  readonly authors: Set<string>;
  /** Of them, too, what everybody was last told. */
  publishedAuthors: string;
  bytes: number;
  /** Work that needs the document though nobody has it open. */
  holds: number;
  /** What the database has of it, as far as this server knows. */
  stored: Buffer | undefined;
  ended: boolean;
}

/** Yjs and editors count a line's end as one character. */
export function oneLineEnd(code: string): string {
  return code.replaceAll(/\r\n?/g, "\n");
}

export function isUnsaved(document: SharedDocument): boolean {
  return document.text.toJSON() !== document.code;
}

/** The origin of a change that nobody has typed: the text follows the code that its node has got. */
export const following = "following";

/** Changes the text to another in one step, leaving alone what both have at their start and end. */
export function setText(document: SharedDocument, wanted: string): void {
  const change = replacement(document.text.toJSON(), wanted);
  if (!change) return;
  document.doc.transact(() => {
    document.text.delete(change.from, change.remove);
    document.text.insert(change.from, change.insert);
  }, following);
}

/** Takes in an update of a person's client, or refuses it whole. */
export function applyUpdate(
  document: SharedDocument,
  update: Uint8Array,
  writer: Writer,
  origin: ClientSocket | null,
): void {
  const { doc, text } = document;
  if (document.bytes + update.byteLength > limits.bytesMax) throw new AppError("draft_too_large");
  refuseBomb(update);
  if (text.length + update.byteLength > nodeLimits.sourceCodeMax) tryOut(document, update);
  document.writer = writer;
  // Whoever only sends again what is known already has written nothing.
  const sign = (): void => void document.authors.add(writer.accountId);
  doc.on("update", sign);
  try {
    Y.applyUpdate(doc, update, origin);
  } catch {
    throw new AppError("bad_request");
  } finally {
    doc.off("update", sign);
  }
  // What builds on something we never got would be kept for ever, unseen.
  if (!doc.store.pendingStructs && !doc.store.pendingDs) return;
  doc.store.pendingStructs = null;
  doc.store.pendingDs = null;
  throw new AppError("draft_out_of_step");
}

/** Applying makes room for as many parts as an update says it has: eight bytes would take 256 MB. Reading it finds them missing. */
function refuseBomb(update: Uint8Array): void {
  try {
    Y.decodeUpdate(update);
  } catch {
    throw new AppError("bad_request");
  }
}

/** Only a copy can tell how long the text will be; an update that is applied cannot be taken back. */
function tryOut({ doc }: SharedDocument, update: Uint8Array): void {
  const copy = new Y.Doc();
  try {
    Y.applyUpdate(copy, Y.encodeStateAsUpdate(doc));
    Y.applyUpdate(copy, update);
  } catch {
    throw new AppError("bad_request");
  }
  if (copy.getText(limits.textName).length > nodeLimits.sourceCodeMax) throw new AppError("code_too_long");
}

export function removePeer(document: SharedDocument, socket: ClientSocket): void {
  const cursors = document.peers.get(socket);
  document.peers.delete(socket);
  if (cursors && cursors.size > 0) removeAwarenessStates(document.awareness, [...cursors], null);
}
