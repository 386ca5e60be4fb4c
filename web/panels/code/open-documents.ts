import type { Realtime } from "../../api/socket.ts";
import { sendLargeUpdate } from "../../api/code.ts";
import { createSharedCode, type SharedCode } from "./shared-code.ts";
import { unsentCode } from "./unsent-code.ts";

interface Dependencies {
  realtime: Realtime;
  mayWrite: (metadataId: number) => boolean;
}

/** How long a run waits until typed text has been sent. */
const sendTimeout = 5_000;

export type OpenDocuments = ReturnType<typeof createOpenDocuments>;

/** The documents of the tabs. Each is opened once and stays open until its tab is closed. */
export function createOpenDocuments({ realtime, mayWrite }: Dependencies) {
  const open = new Map<number, SharedCode>();
  const closing = new Set<Promise<boolean>>();

  function close(code: SharedCode): void {
    const closed = code.close(sendTimeout).finally(() => closing.delete(closed));
    closing.add(closed);
  }

  return {
    get(metadataId: number): SharedCode {
      const known = open.get(metadataId);
      if (known) return known;
      const made = createSharedCode({
        metadataId,
        realtime,
        sendLarge: sendLargeUpdate,
        unsent: unsentCode,
        mayWrite: () => mayWrite(metadataId),
      });
      open.set(metadataId, made);
      return made;
    },

    /** Waits a moment; true when the server has everything that was typed. */
    async sent(): Promise<boolean> {
      const answers = await Promise.all([...closing, ...[...open.values()].map((code) => code.sent(sendTimeout))]);
      return !answers.includes(false);
    },

    close(metadataId: number): void {
      const code = open.get(metadataId);
      open.delete(metadataId);
      if (code) close(code);
    },

    closeAll(): void {
      for (const one of open.values()) close(one);
      open.clear();
    },
  };
}
