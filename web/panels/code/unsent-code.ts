/** Typed text that had not reached the server when its page was closed, for the next page. */
export interface UnsentCode {
  keep(metadataId: number, epoch: string, update: Uint8Array): void;
  /** Returns it once: the caller sends it. */
  take(metadataId: number, epoch: string): Uint8Array | undefined;
  onLeave(listener: () => void): () => void;
}

// Storage is small, and a large paste is sent at once.
const maxBytes = 500_000;
const keyOf = (metadataId: number, epoch: string): string => `unsent:${metadataId}:${epoch}`;

/** In sessionStorage: another tab of the same person has its own. */
export const unsentCode: UnsentCode = {
  keep(metadataId, epoch, update) {
    if (update.length > maxBytes) return;
    try {
      sessionStorage.setItem(
        keyOf(metadataId, epoch),
        btoa(Array.from(update, (byte) => String.fromCharCode(byte)).join("")),
      );
    } catch {
      // Full or switched off: what was typed in the last moment is lost.
    }
  },

  take(metadataId, epoch) {
    try {
      const key = keyOf(metadataId, epoch);
      const kept = sessionStorage.getItem(key);
      sessionStorage.removeItem(key);
      return kept === null ? undefined : Uint8Array.from(atob(kept), (character) => character.charCodeAt(0));
    } catch {
      return undefined;
    }
  },

  onLeave(listener) {
    addEventListener("pagehide", listener);
    return () => removeEventListener("pagehide", listener);
  },
};
