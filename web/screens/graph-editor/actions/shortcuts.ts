import type { Actions } from "./actions.ts";
import { grid } from "./arrange.ts";
import type { EditorStore } from "../editor-state.ts";

const isMac = typeof navigator !== "undefined" && /mac|iphone|ipad/i.test(navigator.userAgent);
const mod = isMac ? "⌘" : "Ctrl";
const join = (...keys: string[]) => keys.join(isMac ? "" : "+");

export const keyNames = {
  add: "A",
  library: "L",
  undo: join(mod, "Z"),
  redo: isMac ? "⇧⌘Z" : "Ctrl+Shift+Z",
  arrange: join(mod, "⇧L").replace("⇧", isMac ? "⇧" : "Shift+"),
  find: join(mod, "F"),
  zoomIn: "+",
  zoomOut: "-",
  fit: "1",
  map: "M",
  history: "H",
  nameVersion: "V",
} as const;

interface Shortcut {
  keys: string;
  does: string;
  group: "Nodes" | "Selection" | "Edit" | "View" | "Run";
  /** Readers may use it too. */
  reads?: true;
}

/** The content of the shortcut sheet. `handleKey` below handles the keys. */
export const shortcuts: readonly Shortcut[] = [
  { group: "Nodes", keys: "A", does: "Add a node" },
  { group: "Nodes", keys: "Double click", does: "Add a node there" },
  { group: "Nodes", keys: "N", does: "Add a note" },
  { group: "Nodes", keys: "L", does: "Library" },
  { group: "Nodes", keys: "Enter, double click on it", does: "Code of the node", reads: true },
  { group: "Nodes", keys: "F2", does: "Rename" },
  { group: "Nodes", keys: "C", does: "Connect to another node" },
  { group: "Nodes", keys: "D", does: "Enable or disable" },
  { group: "Nodes", keys: join(mod, isMac ? "⇧K" : "Shift+K"), does: "Lock or unlock" },
  { group: "Nodes", keys: "I", does: "Inspector", reads: true },
  { group: "Selection", keys: "Tab, Enter", does: "Move the focus, select", reads: true },
  { group: "Selection", keys: join(mod, "A"), does: "Select all", reads: true },
  { group: "Selection", keys: "Shift + drag", does: "Select in a box", reads: true },
  { group: "Selection", keys: "Alt + arrows", does: "Go to the next node", reads: true },
  { group: "Selection", keys: "Arrows", does: "Move (Shift: further)" },
  { group: "Selection", keys: "Esc", does: "Clear the selection", reads: true },
  { group: "Edit", keys: `${join(mod, "C")}, ${join(mod, "X")}, ${join(mod, "V")}`, does: "Copy, cut, paste" },
  { group: "Edit", keys: join(mod, "D"), does: "Duplicate" },
  { group: "Edit", keys: "Alt + drag", does: "Drag a copy" },
  { group: "Edit", keys: "Drop on an edge", does: "Put a new node into the edge" },
  { group: "Edit", keys: "Delete", does: "Delete" },
  { group: "Edit", keys: keyNames.undo, does: "Undo your last change" },
  { group: "Edit", keys: keyNames.redo, does: "Redo" },
  { group: "Edit", keys: join(mod, "G"), does: "Group" },
  { group: "Edit", keys: join(mod, isMac ? "⇧G" : "Shift+G"), does: "Ungroup" },
  { group: "Edit", keys: keyNames.arrange, does: "Arrange" },
  { group: "Edit", keys: keyNames.nameVersion, does: "Name this version" },
  { group: "View", keys: keyNames.history, does: "History", reads: true },
  { group: "View", keys: keyNames.find, does: "Find a node", reads: true },
  { group: "View", keys: join(mod, "P"), does: "Open the code of a node", reads: true },
  { group: "View", keys: join(mod, isMac ? "⇧F" : "Shift+F"), does: "Search in all nodes", reads: true },
  { group: "View", keys: join(mod, isMac ? "⇧O" : "Shift+O"), does: "Go to a symbol", reads: true },
  { group: "View", keys: "1", does: "Fit everything", reads: true },
  { group: "View", keys: "2", does: "Fit the selection", reads: true },
  { group: "View", keys: "0", does: "Zoom to 100 %", reads: true },
  { group: "View", keys: "M", does: "Map", reads: true },
  { group: "View", keys: "+ and -", does: "Zoom", reads: true },
  { group: "View", keys: "Space + drag", does: "Pan, also over nodes", reads: true },
  { group: "View", keys: `Scroll, ${mod} + scroll`, does: "Pan, zoom", reads: true },
  { group: "Run", keys: "F5, Shift+F5", does: "Run what changed or continue, interrupt" },
  { group: "Run", keys: join(mod, "F5"), does: "Run past breakpoints" },
  { group: "Run", keys: "F6", does: "Pause" },
  { group: "Run", keys: "F9", does: "Set or remove a breakpoint at the node’s start" },
  { group: "Run", keys: "F10, F11, Shift+F11", does: "Step over, in, out" },
  { group: "View", keys: "?", does: "Show these shortcuts", reads: true },
];

const arrows: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Keeps what a person types while the note that they asked for is on its way. */
export function takeNoteText({ key, ctrlKey, metaKey }: KeyboardEvent, ui: EditorStore): boolean {
  const { noteText } = ui.get();
  if (noteText === null || ctrlKey || metaKey) return false;
  if (key === "Escape" && noteText === "") {
    ui.set({ noteText: null });
    return false;
  }
  const typed = key === "Enter" ? "\n" : key.length === 1 ? key : "";
  ui.set({ noteText: key === "Backspace" ? noteText.slice(0, -1) : noteText + typed });
  return true;
}

/** Handles a key. Returns whether it did, so that the browser handles all other keys. */
export function handleKey(event: KeyboardEvent, actions: Actions, ui: EditorStore): boolean {
  const isMod = event.metaKey || event.ctrlKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const arrow = arrows[key];
  if (arrow && !isMod) {
    const [dx, dy] = arrow;
    if (event.altKey) actions.walk(dx, dy);
    else if (ui.get().selected.size === 0) return false;
    else actions.nudge(dx * grid * (event.shiftKey ? 4 : 1), dy * grid * (event.shiftKey ? 4 : 1));
    return true;
  }
  const command = isMod ? withMod(event.shiftKey) : plain();
  if (!command || event.altKey) return false;
  command();
  return true;

  function withMod(shift: boolean): (() => void) | undefined {
    const write = (does: () => void) => (actions.mayWrite() ? does : undefined);
    switch (shift ? `shift ${key}` : key) {
      case "a":
        return () => actions.selectAll();
      case "d":
        return write(() => void actions.duplicate());
      case "f":
        return () => ui.set({ finding: true });
      case "p":
        return () => ui.set({ dialog: { type: "find-code", kind: "open" } });
      case "shift f":
        return () => ui.set({ dialog: { type: "find-code", kind: "search" } });
      case "shift o":
        return () => ui.set({ dialog: { type: "find-code", kind: "symbols" } });
      case "g":
        return write(() => actions.group());
      case "shift g":
        return write(() => actions.ungroup());
      case "shift k":
        return write(() => actions.toggleLocked());
      case "shift l":
        return write(() => actions.arrange());
      case "z":
        return () => void actions.undo();
      case "shift z":
      case "y":
        return () => void actions.redo();
      default:
        return undefined;
    }
  }

  function plain(): (() => void) | undefined {
    const [only] = ui.get().selected;
    const one = ui.get().selected.size === 1 ? only : undefined;
    const write = (does: () => void) => (actions.mayWrite() ? does : undefined);
    switch (key) {
      case "a":
        return write(() => actions.openPalette());
      case "n":
        return write(() => void actions.addNote());
      case "l":
        return write(() => ui.set({ library: !ui.get().library }));
      case "i":
        return () => ui.set({ inspector: !ui.get().inspector });
      case "d":
        return write(() => actions.toggleDisabled());
      case "c":
        return one === undefined ? undefined : write(() => ui.set({ dialog: { type: "connect", id: one } }));
      case "Enter":
        return one === undefined ? undefined : () => actions.openCode(one);
      case "F2":
        return one === undefined ? undefined : write(() => ui.set({ renaming: one }));
      case "Delete":
      case "Backspace":
        return write(() => actions.remove());
      case "Escape":
        return () => {
          ui.select([]);
          ui.set({ menu: null, palette: null, finding: false });
        };
      case "m":
        return () => actions.toggleMap();
      case "h":
        return actions.openHistory;
      case "v":
        return write(() => ui.set({ dialog: { type: "name-version" } }));
      case "1":
        return () => actions.fit();
      case "2":
        return () => actions.fitSelection();
      case "0":
        return () => actions.zoomTo(1);
      case "+":
      case "=":
        return () => actions.zoomIn();
      case "-":
        return () => actions.zoomOut();
      case "?":
        return () => ui.set({ dialog: { type: "shortcuts" } });
      default:
        return undefined;
    }
  }
}
