import { applyAwarenessUpdate, encodeAwarenessUpdate } from "y-protocols/awareness";
import * as Y from "yjs";
import { z } from "zod";

import type { OtherServers } from "../realtime/realtime-service.ts";
import type { SharedDocument, Writer } from "./shared-document.ts";

/** The origin of changes from another server. They are not published to the servers again. */
export const fromOtherServer = "other server";

interface Dependencies {
  otherServers: OtherServers;
  find(metadataId: number): SharedDocument | undefined;
  all(): Iterable<SharedDocument>;
  /** Stores what was typed on this server. */
  settle(graphId: string): Promise<void>;
  report(error: unknown): void;
}

const State = z.object({ update: z.string(), awareness: z.string() });
type State = z.infer<typeof State>;

export type DocumentSync = ReturnType<typeof createDocumentSync>;

/** Keeps open documents the same on all servers. */
export function createDocumentSync({ otherServers, find, all, settle, report }: Dependencies) {
  const findEpoch = (metadataId: number, epoch: string): SharedDocument | undefined => {
    const document = find(metadataId);
    return document?.epoch === epoch && !document.ended ? document : undefined;
  };

  /** Merges the other servers' copies. False when none of them has the document open. */
  async function fetch(document: SharedDocument): Promise<boolean> {
    const { metadataId, epoch, doc } = document;
    const vector = toText(Y.encodeStateVector(doc));
    const answers = await otherServers.request("code_state", metadataId, epoch, vector);
    const states = answers.map((one) => State.safeParse(one).data).filter((one) => one !== undefined);
    for (const { update, awareness } of states) {
      Y.applyUpdate(doc, toBytes(update), fromOtherServer);
      applyAwarenessUpdate(document.awareness, toBytes(awareness), fromOtherServer);
    }
    return states.length > 0;
  }

  otherServers.onBack(() => {
    for (const document of all()) fetch(document).catch(report);
  });

  otherServers.on("code_state", (metadataId: number, epoch: string, vector: string): State | null => {
    const document = findEpoch(metadataId, epoch);
    if (!document) return null;
    const cursors = [...document.awareness.getStates().keys()];
    return {
      update: toText(Y.encodeStateAsUpdate(document.doc, toBytes(vector))),
      awareness: toText(encodeAwarenessUpdate(document.awareness, cursors)),
    };
  });

  otherServers.on(
    "code_update",
    async (metadataId: number, epoch: string, update: string, ...by: [Writer | null, boolean]) => {
      const [writer, isTyped] = by;
      const document = findEpoch(metadataId, epoch);
      if (!document) return;
      document.writer = writer ?? document.writer;
      if (isTyped && writer) document.authors.add(writer.accountId);
      Y.applyUpdate(document.doc, toBytes(update), fromOtherServer);
      // An update before this one was lost.
      if (document.doc.store.pendingStructs || document.doc.store.pendingDs) await fetch(document);
    },
  );

  otherServers.on("code_settle", settle);

  otherServers.on("code_awareness", (metadataId: number, epoch: string, update: string) => {
    const document = findEpoch(metadataId, epoch);
    if (document) applyAwarenessUpdate(document.awareness, toBytes(update), fromOtherServer);
  });

  return {
    isShared: otherServers.isShared,
    fetch,

    /** `isTyped`: typed by its writer. Otherwise the text was updated to the node's code. */
    publishUpdate({ metadataId, epoch, writer }: SharedDocument, update: Uint8Array, isTyped: boolean): void {
      if (!otherServers.isShared) return;
      const by = writer && { accountId: writer.accountId, username: writer.username };
      otherServers.publish("code_update", metadataId, epoch, toText(update), by, isTyped);
    },

    /** Asks the other servers to store what was typed in a graph's code. */
    async settle(graphId: string): Promise<void> {
      await otherServers.request("code_settle", graphId);
    },

    publishAwareness({ metadataId, epoch }: SharedDocument, update: Uint8Array): void {
      if (otherServers.isShared) otherServers.publish("code_awareness", metadataId, epoch, toText(update));
    },
  };
}

const toText = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const toBytes = (text: string): Uint8Array => Buffer.from(text, "base64");
