import { createContext, use } from "react";

/** How a node or an edge differs between two versions. */
export type Mark = "added" | "removed" | "changed" | "moved";

/** What became of a node in a run. */
export interface RunMark {
  /** Has a colour in past-view.css. */
  state: string;
  /** For a view from far away. */
  colour: string;
  sign: string;
  word: string;
  /** How long it ran; empty when it did not. */
  time: string;
}

/** What the canvas shows in place of the workflow as it is: a version, a run, or two versions with their differences. */
export interface PastView {
  /** By metadata_id. */
  nodes: ReadonlyMap<number, Mark>;
  /** By the id of the edge. */
  edges: ReadonlyMap<string, Mark>;
  /** What became of each node in the run that is shown, by metadata_id. */
  runs?: ReadonlyMap<number, RunMark> | undefined;
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
