import { orderOf } from "@miranda/contract/graph/apply-change.ts";
import type { GraphChange } from "@miranda/contract/schemas/changes.ts";

interface ChangeOrder {
  /** The revision of what is held now. */
  revision: () => number;
  /** False when the change cannot be applied. */
  apply: (change: GraphChange) => boolean;
  /** Fetches the whole graph: a change was missed or cannot be applied. */
  reload: () => void;
  /** How long a change that comes too early waits for the one before it. */
  patience?: number;
}

/** Puts changes in the order they were made. Two made at once may arrive swapped; one that never comes means a reload. */
export function createChangeOrder({ revision, apply, reload, patience = 400 }: ChangeOrder) {
  const early = new Map<number, GraphChange>();
  let isLoading = false;
  let waiting: ReturnType<typeof setTimeout> | undefined;

  function stopWaiting(): void {
    clearTimeout(waiting);
    waiting = undefined;
  }

  function drain(): void {
    // Before the first load everything is early, and the load is already on its way.
    if (revision() < 0) return;
    for (;;) {
      const next = early.get(revision() + 1);
      if (!next || next.reload === true) break;
      if (!apply(next)) return reload();
    }
    if (!isLoading) for (const known of early.keys()) if (known <= revision()) early.delete(known);
    if (Math.max(...early.keys()) <= revision()) return stopWaiting();
    waiting ??= setTimeout(() => {
      waiting = undefined;
      reload();
    }, patience);
  }

  return {
    take(change: GraphChange): void {
      if (orderOf(revision(), change) === "known") return;
      // Kept until a load holds it: the one that is on its way may have been read before it.
      early.set(change.revision, change);
      if (change.reload === true && revision() >= 0) reload();
      else drain();
    },
    drain,
    /** What comes from now on is kept, though it is applied: the load that begins may have been read before it. */
    loadBegins(): void {
      isLoading = true;
    },
    /** What came meanwhile and is newer than what was loaded is applied to it. */
    loadEnds(): void {
      isLoading = false;
      drain();
    },
    stop(): void {
      stopWaiting();
      early.clear();
    },
  };
}
