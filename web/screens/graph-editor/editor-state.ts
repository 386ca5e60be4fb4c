import type { Node, Position } from "@miranda/contract/schemas/nodes.ts";
import type { SplitCode } from "@miranda/contract/schemas/code/notebooks.ts";

import type { FindKind } from "../../panels/find-code/find-dialogs.tsx";
import type { CodeToSplit } from "../../api/notebooks.ts";
import type { Imported } from "../../panels/import-notes.tsx";
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
  /** Where the new node will be, on the canvas. Without it, where there is space for it. */
  at?: Position;
  screen: ScreenPoint;
  /** The port from which an edge was dragged: only items that fit it are offered. */
  pulled?: PortRef;
}

export type EditorDialog =
  | { type: "shortcuts" }
  | { type: "find-code"; kind: FindKind }
  | { type: "connect"; id: number }
  | { type: "publish"; ids: readonly number[] }
  | { type: "publish-newer"; ids: readonly number[] }
  | { type: "templates" }
  | { type: "update"; id: number }
  | { type: "name-version" }
  | { type: "publish-version" }
  | { type: "deploy" }
  | { type: "edge-label"; id: string }
  /** All outputs of a node. Not part of its card: a card that leaves the view is not drawn. */
  | { type: "outputs"; id: number }
  /** What a dropped GraphML file lost on its way into a workflow of its own. */
  | { type: "imported"; imported: Imported }
  /** A notebook or a script as one node, and what needs attention. */
  | { type: "import-code"; code: CodeToSplit; whole: SplitCode; at: Position | undefined }
  /** An imported node as several. */
  | { type: "split"; id: number }
  | { type: "pasted-text"; text: string; split: SplitCode; at: Position | undefined }
  /** What a person wrote in a note that cannot take it any more, for example because it was deleted. */
  | { type: "unsaved-note"; note: Node; text: string; reason: UnsavedReason };

export type UnsavedReason = "deleted" | "locked" | "view-only" | "too-long" | "refused";

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
  /** The field of the inspector that is to get the focus. */
  field: { id: number; name: string } | null;
  /** The node whose code is open beside the canvas, and whether the person opened it. */
  dock: { id: number; takesFocus: boolean } | null;
  minimap: boolean;
  /** Whether the inspector stands beside the canvas instead of over it. */
  docked: boolean;
  /** What was typed since a note was asked for and before it is there. */
  noteText: string | null;
  /** Whether dragging on the canvas draws a box that selects, as Shift does: fingers have no Shift. */
  boxing: boolean;
}

const none: ReadonlySet<never> = new Set();

const mapStoredAs = "minimap";
const dockStoredAs = "inspectorDocked";

const initial: Omit<EditorState, "minimap" | "docked"> = {
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
  field: null,
  dock: null,
  boxing: false,
  noteText: null,
};

export type EditorStore = ReturnType<typeof createEditorStore>;

export function createEditorStore() {
  const { get, set, watch } = createStore<EditorState>({
    ...initial,
    minimap: readStored(mapStoredAs) !== "hidden",
    docked: readStored(dockStoredAs) === "docked",
  });
  return {
    get,
    set(changes: Partial<EditorState>): void {
      if (changes.minimap !== undefined) writeStored(mapStoredAs, changes.minimap ? "shown" : "hidden");
      if (changes.docked !== undefined) writeStored(dockStoredAs, changes.docked ? "docked" : "floating");
      set({ ...get(), ...changes });
    },
    select(nodes: Iterable<number>, edges: Iterable<string> = []): void {
      this.set({ selected: new Set(nodes), selectedEdges: new Set(edges) });
    },
    /** Selects these nodes. With `more`, adds them to the selection, or takes them from it when it has all of them. */
    choose(nodes: readonly number[], more: boolean): void {
      const { selected, selectedEdges } = get();
      if (!more) return this.select(nodes);
      const isTaken = nodes.every((id) => selected.has(id));
      const others = [...selected].filter((id) => !nodes.includes(id));
      this.select(isTaken ? others : [...others, ...nodes], selectedEdges);
    },
    /** Opens the inspector of a node at one of its fields. */
    showField(id: number, name: string): void {
      this.set({ selected: new Set([id]), selectedEdges: new Set(), inspector: true, field: { id, name } });
    },
    watch,
  };
}
