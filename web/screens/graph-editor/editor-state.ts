import type { Position } from "@miranda/contract/schemas/nodes.ts";
import type { CutCode } from "@miranda/contract/schemas/notebooks.ts";

import type { CodeToCut } from "../../api/notebooks.ts";
import { readStored, writeStored } from "../../storage.ts";
import { createStore } from "../../store.ts";
import type { PortRef } from "./edges/joining.ts";

/** A point on the screen. */
export interface ScreenPoint {
  x: number;
  y: number;
}

export type Menu = ScreenPoint &
  ({ on: "node"; id: number } | { on: "edge"; id: string } | { on: "pane" } | { on: "group"; id: string });

export interface Palette {
  /** Where the new node will be, on the canvas. */
  at: Position;
  screen: ScreenPoint;
  /** The port from which an edge was dragged: only items that fit it are offered. */
  pulled?: PortRef;
}

export type EditorDialog =
  | { type: "shortcuts" }
  | { type: "connect"; id: number }
  | { type: "publish"; ids: readonly number[] }
  | { type: "publish-newer"; ids: readonly number[] }
  | { type: "templates" }
  | { type: "update"; id: number }
  | { type: "name-version" }
  | { type: "publish-version" }
  | { type: "deploy" }
  | { type: "edge-label"; id: string }
  /** What a notebook or a script would become. */
  | { type: "cut"; code: CodeToCut; cut: CutCode; at: Position | undefined }
  | { type: "pasted-text"; text: string; cut: CutCode; at: Position | undefined };

/** What one person has open, selected and in progress. None of it is part of the graph. */
export interface EditorState {
  selected: ReadonlySet<number>;
  selectedEdges: ReadonlySet<string>;
  /** The positions of nodes while they are dragged. */
  drag: ReadonlyMap<number, Position> | null;
  pulled: PortRef | null;
  /** The edge under the pointer, and the pointer's position. */
  hovered: (ScreenPoint & { id: string }) | null;
  renaming: number | null;
  palette: Palette | null;
  menu: Menu | null;
  dialog: EditorDialog | null;
  finding: boolean;
  library: boolean;
  inspector: boolean;
  /** The node whose code is open beside the canvas, and whether the person opened it. */
  dock: { id: number; takesFocus: boolean } | null;
  minimap: boolean;
}

const none: ReadonlySet<never> = new Set();

const mapStoredAs = "minimap";

const initial: Omit<EditorState, "minimap"> = {
  selected: none,
  selectedEdges: none,
  drag: null,
  pulled: null,
  hovered: null,
  renaming: null,
  palette: null,
  menu: null,
  dialog: null,
  finding: false,
  library: false,
  inspector: true,
  dock: null,
};

export type EditorStore = ReturnType<typeof createEditorStore>;

export function createEditorStore() {
  const { get, set, watch } = createStore<EditorState>({
    ...initial,
    minimap: readStored(mapStoredAs) !== "hidden",
  });
  return {
    get,
    set(changes: Partial<EditorState>): void {
      if (changes.minimap !== undefined) writeStored(mapStoredAs, changes.minimap ? "shown" : "hidden");
      set({ ...get(), ...changes });
    },
    select(nodes: Iterable<number>, edges: Iterable<string> = []): void {
      this.set({ selected: new Set(nodes), selectedEdges: new Set(edges) });
    },
    watch,
  };
}
