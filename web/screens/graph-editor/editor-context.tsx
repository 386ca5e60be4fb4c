import { createContext, useContext, useSyncExternalStore } from "react";

import type { Realtime } from "../../api/socket.ts";
import type { GraphSession } from "../../providers/graph/graph-session.ts";
import type { GraphView } from "../../providers/graph/graph-store.ts";
import type { Actions } from "./actions/actions.ts";
import type { EditorState, EditorStore } from "./editor-state.ts";
import type { Peers } from "./canvas/peers.ts";
import type { Rooms } from "./cards/preview-room.ts";

export interface Editor {
  session: GraphSession;
  realtime: Realtime;
  ui: EditorStore;
  rooms: Rooms;
  peers: Peers;
  actions: Actions;
}

export const EditorContext = createContext<Editor | undefined>(undefined);

export function useEditor(): Editor {
  const editor = useContext(EditorContext);
  if (!editor) throw new Error("This belongs inside the graph editor.");
  return editor;
}

/** Selects part of the editor's state; renders only when that part changes. */
export function useUi<Part>(select: (state: EditorState) => Part): Part {
  const { ui } = useEditor();
  return useSyncExternalStore(ui.watch, () => select(ui.get()));
}

export function useView<Part>(select: (view: GraphView) => Part): Part {
  const { store } = useEditor().session;
  return useSyncExternalStore(store.watch, () => select(store.view()));
}

export const useViewOnly = () => useView((view) => view.viewOnly);
