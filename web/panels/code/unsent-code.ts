/** What was typed and had not reached the server when the page was left, for the page that comes after it. */
export interface UnsentCode {
  keep(metadataId: number, epoch: string, update: Uint8Array): void;
  /** Once: whoever takes it sends it. */
  take(metadataId: number, epoch: string): Uint8Array | undefined;
  onLeave(listener: () => void): () => void;
}

// Storage has little room, and a large paste is sent at once.
const most = 500_000;
const keyOf = (metadataId: number, epoch: string): string => `unsent:${metadataId}:${epoch}`;

/** In the tab's own storage: another tab of the same person has its own. */
export const unsentCode: UnsentCode = {
  keep(metadataId, epoch, update) {
    if (update.length > most) return;
    try {
      sessionStorage.setItem(
        keyOf(metadataId, epoch),
        btoa(Array.from(update, (byte) => String.fromCharCode(byte)).join("")),
      );
    } catch {
      // Full or switched off: what was typed in the last moment is lost, as everywhere else.
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
