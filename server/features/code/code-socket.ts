import type { ClientEvents } from "@miranda/contract/events.ts";
import { draft as limits } from "@miranda/contract/limits.ts";
import { MetadataId } from "@miranda/contract/schemas/forms.ts";
import {
  type Awareness,
  applyAwarenessUpdate,
  encodeAwarenessUpdate,
  modifyAwarenessUpdate,
} from "y-protocols/awareness";

import { AppError } from "../../platform/errors/app-error.ts";
import type { Nodes } from "../nodes/nodes-service.ts";
import type { ClientSocket, EventHandler, Extension } from "../realtime/realtime-service.ts";
import type { Documents } from "./documents-service.ts";
import { applyUpdate, documentEvent, type SharedDocument } from "./shared-document.ts";

interface Dependencies {
  documents: Documents;
  nodes: Pick<Nodes, "getNode">;
}

const awarenessMax = 4_096;
const cursorsMax = 20;

/** The events for editing code together. */
export function codeEvents({ documents, nodes }: Dependencies): Extension {
  async function open(socket: ClientSocket, given: unknown, epoch: unknown, vector: unknown): Promise<void> {
    const metadataId = idOf(given);
    const { caller, graphs } = socket.data;
    const node = await nodes.getNode(caller, metadataId, "read");
    if (node.class !== "Code_block") throw new AppError("node_has_no_code");
    const access = graphs.get(node.graph_id);
    if (access === undefined) throw new AppError("not_entered");
    if (documents.openBy(socket) >= limits.documentsPerConnection) throw new AppError("too_many_documents");
    const document = await documents.open(metadataId, socket);
    if (!socket.connected) return documents.leave(metadataId, socket);
    // People who type must find the same document again, also after a restart of the server.
    if (access !== "viewer" && !document.stored) await documents.save(document);
    const known = epoch === document.epoch && Buffer.isBuffer(vector) ? vector : undefined;
    socket.emit("code_document", documentEvent(document, known));
    const clientIds = [...document.awareness.getStates().keys()];
    if (clientIds.length === 0) return;
    const update = encodeAwarenessUpdate(document.awareness, clientIds);
    socket.emit("code_awareness", { metadata_id: metadataId, update });
  }

  /** A document that this connection has open and may change. */
  function writable(socket: ClientSocket, given: unknown): SharedDocument {
    const document = documents.find(idOf(given));
    if (!document?.peers.has(socket)) throw new AppError("draft_out_of_step");
    const access = socket.data.graphs.get(document.graphId);
    if (access === undefined || document.gone) throw new AppError("node_not_found");
    if (access === "viewer") throw new AppError("graph_read_only");
    return document;
  }

  return {
    questions: new Set<keyof ClientEvents>(["code_open", "code_close"]),

    handlers: new Map<keyof ClientEvents, EventHandler>([
      ["code_open", (socket, id, epoch, vector) => open(socket, id, epoch, vector)],
      [
        "code_update",
        (socket, id, epoch, update) => {
          const document = writable(socket, id);
          if (document.locked) throw new AppError("node_locked");
          if (epoch !== document.epoch) throw new AppError("draft_out_of_step");
          if (!Buffer.isBuffer(update)) throw new AppError("bad_request");
          applyUpdate(document, update, socket.data.caller, socket);
        },
      ],
      [
        "code_awareness",
        (socket, id, update) => {
          const { awareness, peers } = writable(socket, id);
          if (!Buffer.isBuffer(update) || update.length > awarenessMax) throw new AppError("bad_request");
          const { username } = socket.data.caller;
          takeCursor(update, username, awareness, peers.get(socket));
          let stamped: Uint8Array;
          try {
            // The name at a cursor is the account's, whatever the client sends.
            stamped = modifyAwarenessUpdate(update, (state: { cursor?: unknown } | null) =>
              state === null ? null : { cursor: state.cursor ?? null, user: { name: username } },
            );
          } catch {
            throw new AppError("bad_request");
          }
          applyAwarenessUpdate(awareness, stamped, socket);
        },
      ],
      ["code_close", (socket, id) => documents.leave(idOf(id), socket)],
    ]),

    ended: documents.leaveAll,
  };
}

/** A cursor belongs to its account, and their number is limited: they are kept as long as the document is open. */
function takeCursor(update: Buffer, username: string, awareness: Awareness, own: Set<number> | undefined): void {
  if (update[0] === 0) return;
  const cursor = onlyCursor(update);
  if (cursor === undefined || !own) throw new AppError("bad_request");
  if (own.has(cursor)) return;
  const shown: { user?: { name?: unknown } } | undefined = awareness.getStates().get(cursor);
  if (own.size >= cursorsMax || (shown && shown.user?.name !== username)) throw new AppError("bad_request");
  own.add(cursor);
}

/** The client id of the one cursor in an update. An update begins with the count, then that id, seven bits per byte. */
function onlyCursor(update: Buffer): number | undefined {
  if (update[0] !== 1) return undefined;
  let number = 0;
  for (let at = 1; at <= 5; at++) {
    const byte = update[at] ?? 0;
    number += (byte & 0x7f) * 2 ** (7 * (at - 1));
    if (byte < 0x80) return number;
  }
  return undefined;
}

function idOf(given: unknown): number {
  const { data } = MetadataId.safeParse(given);
  if (data === undefined) throw new AppError("node_not_found");
  return data;
}
