import type { Realtime } from "../../api/socket.ts";
import { sendLargeUpdate } from "../../api/code.ts";
import { createSharedCode, type SharedCode } from "./shared-code.ts";
import { unsentCode } from "./unsent-code.ts";

interface Dependencies {
  realtime: Realtime;
  nameOf: (username: string) => string;
  mayWrite: (metadataId: number) => boolean;
}

export type OpenDocuments = ReturnType<typeof createOpenDocuments>;

/** The documents of the tabs: each is opened once and stays until its tab is closed. */
export function createOpenDocuments({ realtime, nameOf, mayWrite }: Dependencies) {
  const open = new Map<number, SharedCode>();

  return {
    get(metadataId: number): SharedCode {
      const known = open.get(metadataId);
      if (known) return known;
      const made = createSharedCode({
        metadataId,
        realtime,
        sendLarge: sendLargeUpdate,
        nameOf,
        unsent: unsentCode,
        mayWrite: () => mayWrite(metadataId),
      });
      open.set(metadataId, made);
      return made;
    },

    close(metadataId: number): void {
      open.get(metadataId)?.close();
      open.delete(metadataId);
    },

    closeAll(): void {
      for (const one of open.values()) one.close();
      open.clear();
    },
  };
}
