import type { EditorView } from "@codemirror/view";

import type { CheckResponse } from "@miranda/contract/schemas/code.ts";
import type { LanguageState } from "@miranda/contract/schemas/code/language.ts";

import type { Peek } from "./peek-dialog.tsx";
import { readStored, writeStored } from "../../storage.ts";
import { createStore } from "../../store.ts";

type Side = "attributes" | "processor" | "outputs";

export interface IdeView {
  /** Open tabs by metadata_id, in order. */
  readonly tabs: readonly number[];
  /** Whether the text of an open tab differs from the node's code. */
  readonly unsaved: ReadonlyMap<number, boolean>;
  /** What the text of a tab declares, when that differs from the node. */
  readonly checks: ReadonlyMap<number, CheckResponse>;
  readonly side: Side | null;
  readonly logs: boolean;
  /** Whether the metrics are shown in the place of the log. */
  readonly metrics: boolean;
  readonly files: boolean;
  readonly dialog: "commit" | "discard" | "shortcuts" | "open" | "search" | "symbols" | null;
  readonly cursor: { line: number; column: number; selected: number; cursors: number } | null;
  /** How many errors and warnings the code of a tab has. */
  readonly problems: ReadonlyMap<number, { errors: number; warnings: number }>;
  /** State of the language server; null before the first request. */
  readonly language: LanguageState | null;
  /** A library file to show, which is not a node. */
  readonly peek: Peek | null;
  readonly wrap: boolean;
  readonly fontSize: number;
}

const fontSizes = { min: 10, max: 24, normal: 13 } as const;

const keys = {
  wrap: "codeWrap",
  fontSize: "codeFontSize",
  side: "codeSide",
  tabs: (graphId: string) => `codeTabs:${graphId}`,
};

export type Ide = ReturnType<typeof createIde>;

/** What the IDE of one graph shows, apart from the code itself. */
export function createIde(graphId: string) {
  const views = new Map<number, EditorView>();
  let outputsClosed = false;
  const store = createStore<IdeView>({
    tabs: storedTabs(graphId),
    unsaved: new Map(),
    checks: new Map(),
    // On a small screen the side panel would cover the code.
    side: readStored(keys.side) === "none" || matchMedia("(max-width: 1023px)").matches ? null : "attributes",
    logs: false,
    metrics: false,
    files: false,
    dialog: null,
    cursor: null,
    problems: new Map(),
    language: null,
    peek: null,
    wrap: readStored(keys.wrap) === "true",
    fontSize: clampFont(Number(readStored(keys.fontSize) ?? fontSizes.normal)),
  });

  function set(changes: Partial<IdeView>): void {
    store.set({ ...store.get(), ...changes });
  }

  function setTabs(tabs: readonly number[]): void {
    set({ tabs });
    writeStored(keys.tabs(graphId), JSON.stringify(tabs));
  }

  return {
    graphId,
    views,
    get: store.get,
    set,

    watch: store.watch,

    setView(id: number, made: EditorView | undefined): void {
      if (made) views.set(id, made);
      else views.delete(id);
      set({});
    },

    openTab(id: number): void {
      if (!store.get().tabs.includes(id)) setTabs([...store.get().tabs, id]);
    },

    /** Returns the tab to show instead. */
    closeTab(id: number): number | undefined {
      const at = store.get().tabs.indexOf(id);
      const tabs = store.get().tabs.filter((one) => one !== id);
      setTabs(tabs);
      return tabs[Math.min(at, tabs.length - 1)];
    },

    keepTabs(exists: (id: number) => boolean): void {
      const tabs = store.get().tabs.filter(exists);
      if (tabs.length < store.get().tabs.length) setTabs(tabs);
    },

    setUnsaved(id: number, isUnsaved: boolean | undefined): void {
      if (store.get().unsaved.get(id) === isUnsaved) return;
      set({ unsaved: withEntry(store.get().unsaved, id, isUnsaved) });
    },

    setCheck(id: number, check: CheckResponse | undefined): void {
      if (store.get().checks.get(id) !== check) set({ checks: withEntry(store.get().checks, id, check) });
    },

    setProblems(id: number, errors: number, warnings: number): void {
      const known = store.get().problems.get(id);
      if ((known?.errors ?? 0) === errors && (known?.warnings ?? 0) === warnings) return;
      set({ problems: withEntry(store.get().problems, id, { errors, warnings }) });
    },

    /** Shows outputs beside the code, unless the person has closed them there. */
    showOutputs(): void {
      if (!outputsClosed && store.get().side !== "processor") set({ side: "outputs" });
    },

    toggleSide(side: Side): void {
      const next = store.get().side === side ? null : side;
      if (store.get().side === "outputs") outputsClosed = true;
      if (next === "outputs") outputsClosed = false;
      writeStored(keys.side, next ?? "none");
      set({ side: next });
    },

    /** Shows the log or hides it. Metrics in its place give way to it. */
    toggleLogs(): boolean {
      const { logs, metrics } = store.get();
      const isOpen = metrics || !logs;
      set({ logs: isOpen, metrics: false });
      return isOpen;
    },

    setWrap(wrap: boolean): void {
      writeStored(keys.wrap, String(wrap));
      set({ wrap });
    },

    setFontSize(fontSize: number): void {
      const size = clampFont(fontSize);
      writeStored(keys.fontSize, String(size));
      set({ fontSize: size });
    },
  };
}

function withEntry<Value>(
  map: ReadonlyMap<number, Value>,
  id: number,
  value: Value | undefined,
): ReadonlyMap<number, Value> {
  const next = new Map(map);
  if (value === undefined) next.delete(id);
  else next.set(id, value);
  return next;
}

function clampFont(size: number): number {
  return Number.isFinite(size) ? Math.min(fontSizes.max, Math.max(fontSizes.min, Math.round(size))) : fontSizes.normal;
}

function storedTabs(graphId: string): number[] {
  try {
    const tabs: unknown = JSON.parse(readStored(keys.tabs(graphId)) ?? "[]");
    return Array.isArray(tabs) ? tabs.filter((id): id is number => Number.isSafeInteger(id)) : [];
  } catch {
    return [];
  }
}
