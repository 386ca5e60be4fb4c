import { createContext, use } from "react";

/** How a node or an edge differs between two versions. */
export type Mark = "added" | "removed" | "changed" | "moved";

/** What the canvas shows in place of the workflow as it is: a version, or two versions with their differences. */
export interface PastView {
  /** By metadata_id. */
  nodes: ReadonlyMap<number, Mark>;
  /** By the id of the edge. */
  edges: ReadonlyMap<string, Mark>;
  /** Restores nodes of the shown version. Missing where there is nothing to restore, or this person may not. */
  restore?: ((ids: readonly number[]) => void) | undefined;
}

export const PastContext = createContext<PastView | null>(null);

/** Null on the canvas of the workflow as it is. */
export function usePast(): PastView | null {
  return use(PastContext);
}

/** Each mark has a word and a sign: its colour alone tells some people nothing. */
export const markLooks = {
  added: { word: "Added", sign: "+", colour: "var(--success)", tone: "success" },
  removed: { word: "Removed", sign: "−", colour: "var(--danger)", tone: "danger" },
  changed: { word: "Changed", sign: "~", colour: "var(--warning)", tone: "warning" },
  moved: { word: "Moved", sign: "↔", colour: "var(--info)", tone: "info" },
} as const satisfies Record<Mark, { word: string; sign: string; colour: string; tone: string }>;
