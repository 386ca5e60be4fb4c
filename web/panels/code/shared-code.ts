import type { ErrorCode } from "@miranda/contract/errors.ts";
import { draft as limits, node as nodeLimits, socket as socketLimits } from "@miranda/contract/limits.ts";
import { replacement } from "@miranda/contract/replacement.ts";
import type { CodeDocumentEvent, CodeUpdateEvent } from "@miranda/contract/schemas/code.ts";
import { usernameColour } from "../../format/username-colour.ts";
import {
  applyAwarenessUpdate,
  Awareness,
  encodeAwarenessUpdate,
  modifyAwarenessUpdate,
  removeAwarenessStates,
} from "y-protocols/awareness";
import * as Y from "yjs";

import { HttpError } from "../../api/http.ts";
import type { Realtime } from "../../api/socket.ts";
import { messageOf } from "../../message-of.ts";
import { createStore } from "../../store.ts";
import type { UnsentCode } from "./unsent-code.ts";

/** One document. The server makes it; an editor is bound to it until the server makes another. */
export interface LiveText {
  readonly text: Y.Text;
  readonly awareness: Awareness;
  readonly undo: Y.UndoManager;
}

export interface SharedCodeState {
  /** Undefined until the server has sent it. */
  readonly live: LiveText | undefined;
  /** The server has everything that was typed here. */
  readonly isSent: boolean;
  /** Who deleted the node; empty when unknown. */
  readonly gone: string | undefined;
  /** Why the server refuses what is typed. */
  readonly refusal: string | undefined;
  /** Unsent text of a document that the server no longer has. */
  readonly leftover: string | undefined;
}

interface Dependencies {
  metadataId: number;
  realtime: Pick<Realtime, "send" | "on" | "isConnected" | "watch">;
  sendLarge: (metadataId: number, epoch: string, update: Uint8Array) => Promise<void>;
  unsent: UnsentCode;
  /** Readers receive everything and send nothing. */
  mayWrite: () => boolean;
}

export type SharedCode = ReturnType<typeof createSharedCode>;

const fromServer = "server";
const retryAfter = 400;
/** An answer that has not come by then is lost. Asking twice does no harm. */
const openPatience = 5_000;
const cursorEvery = 60;
// Leaves room for what Socket.IO adds around the bytes.
const messageMost = socketLimits.messageMax - 4_096;

/** A node's code that several people edit: sends what is typed here, receives the rest, and catches up after a disconnect. */
export function createSharedCode({ metadataId, realtime, sendLarge, unsent, mayWrite }: Dependencies) {
  const { get, set, watch } = createStore<SharedCodeState>({
    live: undefined,
    isSent: true,
    gone: undefined,
    refusal: undefined,
    leftover: undefined,
  });
  let doc: Y.Doc | undefined;
  let epoch: string | null = null;
  let queue: Uint8Array[] = [];
  /** Sent, not yet confirmed. */
  let underWay: Uint8Array | undefined;
  let sending = 0;
  let round = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let openTimer: ReturnType<typeof setTimeout> | undefined;
  let cursorTimer: ReturnType<typeof setTimeout> | undefined;

  function update(changes: Partial<SharedCodeState>): void {
    set({ ...get(), ...changes });
  }

  function open(): void {
    if (!realtime.isConnected()) return;
    round += 1;
    const mine = round;
    sending = 0;
    clearTimeout(openTimer);
    openTimer = setTimeout(open, openPatience);
    const vector = doc ? Y.encodeStateVector(doc) : null;
    realtime.send("code_open", metadataId, epoch, vector, (refusal, code) => {
      if (mine !== round || refusal === null) return;
      clearTimeout(openTimer);
      if (code === "not_entered" || code === "too_many_messages") later(open);
      else if (code === "node_not_found") update({ gone: get().gone ?? "" });
      else update({ refusal });
    });
  }

  function later(work: () => void): void {
    clearTimeout(timer);
    timer = setTimeout(work, retryAfter);
  }

  function take(event: CodeDocumentEvent): void {
    clearTimeout(openTimer);
    const isOther = epoch !== null && event.epoch !== epoch;
    const leftover = isOther && !get().isSent ? doc?.getText(limits.textName).toJSON() : get().leftover;
    if (isOther || !doc) makeDocument();
    epoch = event.epoch;
    const own = doc;
    const { live } = get();
    if (!own || !live) return;
    Y.applyUpdate(own, bytes(event.update), fromServer);
    const kept = mayWrite() ? unsent.take(metadataId, event.epoch) : undefined;
    if (kept) Y.applyUpdate(own, kept);
    if (isOther || live.undo.undoStack.length === 0) live.undo.clear();
    // This one update contains everything not yet sent, the queue included.
    queue = [];
    const missing = Y.encodeStateAsUpdate(own, bytes(event.vector));
    const isMissing = mayWrite() && hasContent(missing);
    if (isMissing) queue.push(missing);
    update({ gone: undefined, refusal: undefined, leftover, isSent: !isMissing });
    flush();
    sendCursor();
  }

  function makeDocument(): void {
    get().live?.awareness.destroy();
    doc?.destroy();
    const made = new Y.Doc();
    doc = made;
    const text = made.getText(limits.textName);
    const awareness = new Awareness(made);
    const undo = new Y.UndoManager(text, { captureTimeout: 400 });
    made.on("update", (typed: Uint8Array, origin: unknown) => {
      if (origin === fromServer || made !== doc) return;
      queue.push(typed);
      if (get().isSent) update({ isSent: false });
      clearTimeout(timer);
      timer = setTimeout(flush, limits.sendEvery);
    });
    awareness.on("update", (_changes: unknown, origin: unknown) => {
      if (origin !== fromServer) cursorTimer ??= setTimeout(sendCursor, cursorEvery);
    });
    update({ live: { text, awareness, undo } });
  }

  function flush(): void {
    const [first] = queue;
    if (sending > 0 || !first || epoch === null || !realtime.isConnected() || !mayWrite()) return;
    const update = queue.length === 1 ? first : Y.mergeUpdates(queue);
    queue = [];
    underWay = update;
    sending += 1;
    const mine = round;
    const answered = (refusal: string | null, code?: ErrorCode) => {
      if (mine !== round) return;
      sending -= 1;
      underWay = undefined;
      settle(update, refusal, code);
    };
    if (update.length <= messageMost) realtime.send("code_update", metadataId, epoch, update, answered);
    else
      sendLarge(metadataId, epoch, update).then(
        () => answered(null),
        (cause: unknown) => answered(messageOf(cause), cause instanceof HttpError ? cause.code : undefined),
      );
  }

  function settle(sent: Uint8Array, refusal: string | null, code: ErrorCode | undefined): void {
    if (refusal === null) {
      if (queue.length > 0) flush();
      else update({ isSent: true, refusal: undefined });
      return;
    }
    if (code === "too_many_messages") {
      queue.unshift(sent);
      later(flush);
    } else if (code === "draft_out_of_step") open();
    else if (code === "node_not_found") update({ gone: get().gone ?? "" });
    // The text stays in the document, so it can be copied. The next open sends it to the server again.
    else update({ refusal });
  }

  function sendCursor(): void {
    clearTimeout(cursorTimer);
    cursorTimer = undefined;
    const awareness = get().live?.awareness;
    if (!awareness || !doc || epoch === null || !mayWrite() || !realtime.isConnected()) return;
    // Ignore refusals: nobody misses a cursor.
    realtime.send("code_awareness", metadataId, encodeAwarenessUpdate(awareness, [doc.clientID]), () => undefined);
  }

  function takeCursors(event: CodeUpdateEvent): void {
    const { live } = get();
    if (!live) return;
    const named = modifyAwarenessUpdate(bytes(event.update), (given: { user?: { name?: string } } | null) => {
      const username = given?.user?.name;
      if (!given || username === undefined) return given;
      const color = usernameColour(username);
      const colorLight = `color-mix(in oklab, ${color} 25%, transparent)`;
      return { ...given, user: { name: username, color, colorLight } };
    });
    applyAwarenessUpdate(live.awareness, named, fromServer);
  }

  function forgetCursors(): void {
    const { awareness } = get().live ?? {};
    if (!awareness) return;
    const others = [...awareness.getStates().keys()].filter((id) => id !== doc?.clientID);
    removeAwarenessStates(awareness, others, fromServer);
  }

  const isMine = ({ metadata_id }: { metadata_id: number }) => metadata_id === metadataId;
  const stops = [
    // The server sends the members after one enters the graph. Only then does it accept code_open, also after a reconnect.
    realtime.on("project_members", open),
    realtime.on("code_document", (event) => isMine(event) && take(event)),
    realtime.on("code_update", (event) => {
      if (isMine(event) && doc) Y.applyUpdate(doc, bytes(event.update), fromServer);
    }),
    realtime.on("code_awareness", (event) => isMine(event) && takeCursors(event)),
    realtime.on("code_gone", (event) => isMine(event) && update({ gone: event.by })),
    realtime.watch(() => {
      if (!realtime.isConnected()) forgetCursors();
    }),
    unsent.onLeave(() => {
      flush();
      const left = underWay ? [underWay, ...queue] : queue;
      if (left.length > 0 && epoch !== null && mayWrite()) unsent.keep(metadataId, epoch, Y.mergeUpdates(left));
    }),
  ];
  open();

  return {
    metadataId,
    state: get,
    /** Names the document. Null until the server has sent it. */
    epoch: () => epoch,
    text: () => get().live?.text.toJSON(),
    open,
    forgetLeftover: () => update({ leftover: undefined }),

    /** A place in the text that moves with it when somebody types before it. */
    place(offset: number): Uint8Array | undefined {
      const { live } = get();
      if (!live || offset > live.text.length) return undefined;
      return Y.encodeRelativePosition(Y.createRelativePositionFromTypeIndex(live.text, offset));
    },

    /** Whether the server has everything typed here, at the latest after this many milliseconds. */
    sent(patience: number): Promise<boolean> {
      flush();
      if (get().isSent) return Promise.resolve(realtime.isConnected());
      // A deleted node does not run, so its code does not matter. What was refused would be refused again.
      const { gone, refusal } = get();
      if (gone !== undefined || refusal !== undefined) return Promise.resolve(gone !== undefined);
      return new Promise((resolve) => {
        const finish = (isSent: boolean) => {
          clearTimeout(limit);
          unwatch();
          resolve(isSent);
        };
        const unwatch = watch(() => get().isSent && finish(true));
        const limit = setTimeout(() => finish(false), patience);
      });
    },

    watch,

    /** Changes the text as if it were typed here: undo works, and others see it. */
    setText(wanted: string): void {
      const { live } = get();
      if (!live || wanted.length > nodeLimits.sourceCodeMax) return;
      const change = replacement(live.text.toJSON(), wanted);
      if (!change) return;
      live.undo.stopCapturing();
      doc?.transact(() => {
        live.text.delete(change.from, change.remove);
        live.text.insert(change.from, change.insert);
      }, live.undo);
    },

    /** Sends the rest. Answers whether the server has it, at the latest after this many milliseconds. */
    close(patience: number): Promise<boolean> {
      // Do not wait for the update under way: what is queued behind it would be lost.
      sending = 0;
      flush();
      for (const stop of stops) stop();
      for (const one of [timer, openTimer, cursorTimer]) clearTimeout(one);
      const isAllSent = get().isSent;
      const closed = new Promise<boolean>((resolve) => {
        // The server answers it after everything that was sent before it.
        realtime.send("code_close", metadataId, () => resolve(true));
        setTimeout(() => resolve(isAllSent), patience);
      });
      get().live?.awareness.destroy();
      doc?.destroy();
      return closed;
    },
  };
}

/** Socket.IO gives array buffers. */
function bytes(given: Uint8Array | ArrayBuffer): Uint8Array {
  return given instanceof Uint8Array ? given : new Uint8Array(given);
}

/** An update without structs and deletions is two zeros. */
function hasContent(update: Uint8Array): boolean {
  return update.length > 2 || update.some((byte) => byte !== 0);
}
