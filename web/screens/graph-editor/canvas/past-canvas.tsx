import "@xyflow/react/dist/base.css";
import "../graph-editor.css";
import "./past-view.css";

import { ReactFlowProvider } from "@xyflow/react";
import { X } from "lucide-react";
import { type ReactNode, type Ref, Suspense, useImperativeHandle, useLayoutEffect, useState } from "react";

import type { GraphResponse } from "@miranda/contract/schemas/nodes.ts";

import { lazyPart } from "../../../load-part.ts";
import { useAccount } from "../../../api/account/session.ts";
import { createGraphSession } from "../../../providers/graph/graph-session.ts";
import { useRealtime } from "../../../providers/realtime-provider.tsx";
import { classes } from "../../../ui/classes.ts";
import { IconButton } from "../../../ui/icon-button.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { toast } from "../../../ui/overlay/toast.ts";
import { createActions } from "../actions/actions.ts";
import { useEditorKeys } from "../actions/use-editor-keys.ts";
import { Announcements } from "../announcements.tsx";
import { createRooms } from "../cards/preview-room.ts";
import { EditorContext, useEditor, useUi, useView } from "../editor-context.tsx";
import { EditorDialogs } from "../editor-dialogs.tsx";
import { createEditorStore } from "../editor-state.ts";
import { FindBox } from "../library/find-box.tsx";
import { ZoomControls } from "../toolbar.tsx";
import { Canvas } from "./canvas.tsx";
import { CanvasMenu } from "./canvas-menu.tsx";
import { detail } from "./level-of-detail.ts";
import { PastContext, type PastView } from "./past-view.ts";
import { createPeers } from "./peers.ts";
import { createStage } from "./stage.ts";

const CodeField = lazyPart(() =>
  import("../../../ui/code-editor/code-field.tsx").then((m) => ({ default: m.CodeField })),
);

/** What others do with the canvas. */
export interface PastCanvasHandle {
  select: (ids: readonly number[]) => void;
  /** Selects nodes and brings them into view. The focus stays where it is. */
  show: (ids: readonly number[]) => void;
}

interface PastCanvasProps {
  graphId: string;
  graph: GraphResponse;
  past: PastView;
  /** Under which name the viewport is remembered. Null for a view of everything. */
  place: string | null;
  /** Pales everything without a mark. */
  compares?: boolean;
  ref?: Ref<PastCanvasHandle>;
  /** Over the canvas. */
  children?: ReactNode;
}

/** The editor's canvas, for a graph that is not the workflow as it is. Nothing on it can be changed. */
export function PastCanvas({ graphId, graph, past, place, compares = false, ref, children }: PastCanvasProps) {
  const realtime = useRealtime();
  const { username } = useAccount();
  const [pane, setPane] = useState<HTMLDivElement | null>(null);
  const [editor] = useState(() => {
    const session = createGraphSession({
      graphId,
      realtime,
      load: () => Promise.resolve(graph),
      me: () => username,
      notify: (text) => toast.error(text),
      tell: (text) => toast.message(text),
    });
    session.store.load(graph);
    const ui = createEditorStore();
    const stage = createStage(place);
    const actions = createActions({
      session,
      ui,
      stage,
      reach: () => 0,
      notify: (text) => toast.message(text),
    });
    return {
      session,
      realtime,
      ui,
      stage,
      rooms: createRooms(session.store),
      peers: createPeers(realtime, username),
      actions,
    };
  });
  const { session, ui, actions, stage } = editor;
  useLayoutEffect(() => session.store.load(graph), [session, graph]);
  useEditorKeys(editor);
  useImperativeHandle(
    ref,
    () => ({
      select: (ids) => ui.select(ids),
      show(ids) {
        ui.select(ids);
        // Steps through a large workflow follow each other faster than it can be animated.
        const isLarge = Object.keys(actions.nodes()).length > detail.farNodes;
        requestAnimationFrame(() => actions.frame(actions.selectedNodes(), nearEnough, isLarge ? 0 : 200));
      },
    }),
    [ui, actions],
  );
  return (
    <PastContext value={past}>
      <EditorContext value={editor}>
        <ReactFlowProvider>
          <div className="relative flex min-h-0 min-w-0 flex-1">
            <div
              ref={setPane}
              data-testid="past-canvas"
              data-editor=""
              className={classes(
                "relative min-h-0 min-w-0 flex-1 overflow-hidden select-none",
                compares ? "comparing" : null,
              )}
            >
              {/* The first view is fitted into the pane, so the pane must be mounted first. */}
              {pane ? <Canvas stage={stage} pane={pane} /> : null}
              <div className="pointer-events-none absolute inset-0 z-10 flex justify-between gap-3 p-2 max-sm:flex-col sm:p-3">
                <div className="left-tools flex min-h-0 flex-1 flex-col justify-end">
                  <ZoomControls />
                </div>
                {children}
                <FindBox />
              </div>
              <Announcements />
            </div>
            <PastCode />
          </div>
          <CanvasMenu />
          <EditorDialogs />
        </ReactFlowProvider>
      </EditorContext>
    </PastContext>
  );
}

/** The largest zoom at which a shown node is drawn: its neighbours stay in view. */
const nearEnough = 0.9;

/** The code of a node as it was. */
function PastCode() {
  const { ui, actions } = useEditor();
  const dock = useUi((state) => state.dock);
  const only = useUi(({ selected }) => (selected.size === 1 ? [...selected][0] : undefined));
  const node = useView((view) => view.resolved.nodes[only ?? dock?.id ?? -1]);
  if (!dock || node?.class !== "Code_block") return null;
  const close = () => {
    ui.set({ dock: null, inspector: true });
    actions.focusSelected();
  };
  return (
    <aside
      aria-label={`Code of ${node.name}`}
      data-testid="past-code"
      className="flex min-h-0 w-[46%] shrink-0 flex-col border-l border-line bg-surface max-lg:absolute max-lg:inset-0 max-lg:z-30 max-lg:w-full max-lg:border-l-0"
    >
      <header className="flex h-11 shrink-0 items-center justify-between border-b border-line pr-2 pl-4">
        <h2 className="truncate text-sm font-semibold" dir="auto">
          {node.name}
        </h2>
        <IconButton icon={X} label="Close the code" onClick={close} />
      </header>
      <div className="min-h-0 flex-1 overflow-hidden">
        <Suspense fallback={<LoadingArea label="Opening the code" />}>
          <CodeField value={node.source_code} label={`Code of ${node.name}`} />
        </Suspense>
      </div>
    </aside>
  );
}
