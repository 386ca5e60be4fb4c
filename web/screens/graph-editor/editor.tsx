import "@xyflow/react/dist/base.css";
import "./graph-editor.css";

import { ReactFlowProvider } from "@xyflow/react";
import { CloudOff, Eye } from "lucide-react";
import { Suspense, useEffect, useState } from "react";
import { useNavigate, useParams, useSearchParams } from "react-router";
import { lazyPart } from "../../load-part.ts";
import { toast } from "../../ui/overlay/toast.ts";

import { useAccount } from "../../api/account/session.ts";
import { graphAddress, useGraphCalls } from "../../api/graphs.ts";
import { useSession } from "../../providers/object-provider.tsx";
import { useProcessor } from "../../providers/processor/processor-provider.tsx";
import { useConnected, useConnectionRefusal, useRealtime } from "../../providers/realtime-provider.tsx";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { createActions } from "./actions/actions.ts";
import { Announcements } from "./announcements.tsx";
import { Canvas } from "./canvas/canvas.tsx";
import { CanvasMenu } from "./canvas/canvas-menu.tsx";
import { CodeDock } from "./code-dock.tsx";
import { EditorComments } from "./editor-comments.tsx";
import { EdgeHint, EdgeSample } from "./edges/edge-value.tsx";
import { EditorContext, useEditor, useView, useViewOnly } from "./editor-context.tsx";
import { EditorDialogs } from "./editor-dialogs.tsx";
import { createEditorStore, type EditorStore } from "./editor-state.ts";
import { keepDropped, readZip } from "./merge/chosen-zip.ts";
import { EmptyCanvas } from "./from-files/empty-canvas.tsx";
import { FindBox } from "./library/find-box.tsx";
import { DockedInspector, Inspector } from "./inspector/inspector.tsx";
import { LibraryDrawer } from "./library/library-drawer.tsx";
import { createPeers } from "./canvas/peers.ts";
import { Palette } from "./library/palette.tsx";
import { createRooms, reachOf } from "./cards/preview-room.ts";
import { RunToolbar } from "./run-toolbar.tsx";
import { createStage } from "./canvas/stage.ts";
import { TourStart } from "./tour/tour-start.tsx";
import { Toolbar, ZoomControls } from "./toolbar.tsx";
import { useCanvasBreakpoints } from "./canvas/use-canvas-breakpoints.ts";
import { useFollowedCanvas } from "./canvas/use-followed-canvas.ts";
import { useEditorKeys } from "./actions/use-editor-keys.ts";
import { useRevealNode } from "./canvas/use-reveal-node.ts";
import { useCollaboration } from "./canvas/use-collaboration.ts";

const CallNotice = lazyPart(() => import("./deploy/call-notice.tsx").then((m) => ({ default: m.CallNotice })));

/** The canvas and everything around it, for a loaded graph. */
export function Editor() {
  const session = useSession();
  const realtime = useRealtime();
  const { username } = useAccount();
  const { runs } = useProcessor();
  const navigate = useNavigate();
  const { projectId = "" } = useParams();
  const { importFile } = useGraphCalls();
  const [room, setRoom] = useState<HTMLDivElement | null>(null);
  const [pane, setPane] = useState<HTMLDivElement | null>(null);
  async function openImport(file: File): Promise<void> {
    keepDropped(session.graphId, await readZip(file));
    await navigate(`merge?files=${encodeURIComponent(file.name)}`);
  }
  async function importGraphml(file: File, ui: EditorStore): Promise<void> {
    const name = file.name.replace(/\.graphml$/i, "");
    const fields = { name, description: `Imported from ${file.name}`, project_id: projectId };
    const { id, report } = await importFile(fields, file);
    if (report && report.notes.length > 0)
      return ui.set({ dialog: { type: "imported", imported: { id, name, report } } });
    toast.success(`“${name}” is a workflow of this project now.`, {
      action: { label: "Open", onClick: () => void navigate(graphAddress(projectId, id)) },
    });
  }
  const [editor] = useState(() => {
    const ui = createEditorStore();
    const stage = createStage(session.graphId);
    const rooms = createRooms(session.store);
    const reach = (id: number) =>
      reachOf(rooms.below(id), { run: runs.runOf(id) !== undefined, output: runs.outputOf(id) !== undefined });
    const actions = createActions({
      ...{ session, ui, stage, reach },
      notify: (message) => toast.message(message),
      openHistory: () => void navigate("history"),
      refuse: (message) => toast.error(message),
      importZip: (file) => toastFailure(openImport(file)),
      importGraphml: (file) => importGraphml(file, ui),
    });
    return { session, realtime, ui, stage, rooms, peers: createPeers(realtime, username), actions };
  });
  useEditorKeys(editor);
  useCollaboration(editor, pane);
  useRevealNode(editor);
  useCanvasBreakpoints(editor);
  useFollowedCanvas(editor, editor.stage);

  return (
    <EditorContext value={editor}>
      <ReactFlowProvider>
        <div ref={setRoom} data-follow-area="" className="editor-room relative flex min-h-0 flex-1">
          <div
            ref={setPane}
            className="relative min-h-0 min-w-0 flex-1 overflow-hidden select-none"
            data-testid="graph-editor"
            data-editor=""
          >
            <SkipCanvas pane={pane} />
            {/* The first view is fitted into the pane, so the pane must be mounted first. */}
            {pane ? <Canvas stage={editor.stage} pane={pane} /> : null}
            <Overlay />
            <Announcements />
          </div>
          <DockedInspector />
          <CodeDock room={room} />
          <EditorComments />
        </div>
        <Palette />
        <CanvasMenu />
        <EditorDialogs />
        <TourStart />
      </ReactFlowProvider>
    </EditorContext>
  );
}

/** Skips everything that is drawn, which may be a lot, to the tools. */
function SkipCanvas({ pane }: { pane: HTMLElement | null }) {
  return (
    <button
      type="button"
      onClick={() => pane?.querySelector<HTMLElement>("[role=toolbar] button")?.focus()}
      className="sr-only z-20 rounded-md bg-raised px-3 py-2 font-medium shadow-high focus-visible:not-sr-only focus-visible:absolute focus-visible:top-2 focus-visible:left-1/2"
    >
      Skip the canvas
    </button>
  );
}

function Overlay() {
  const [params] = useSearchParams();
  return (
    <div className="pointer-events-none absolute inset-0 z-10 flex justify-between gap-3 p-2 max-sm:flex-col sm:p-3">
      <div className="left-tools flex min-h-0 flex-1 flex-col items-start gap-3">
        <div className="flex flex-wrap items-center gap-2">
          <Toolbar />
          <RunToolbar />
          <Notices />
        </div>
        <Suspense fallback={null}>{params.has("call") ? <CallNotice /> : null}</Suspense>
        <div className="flex min-h-0 flex-1 flex-col justify-end gap-2">
          <LibraryDrawer />
          <ZoomControls />
        </div>
      </div>
      <div className="flex min-h-0 items-start justify-end">
        <Inspector />
        <EdgeSample />
      </div>
      <EmptyCanvas />
      <AddressedNode />
      <FindBox />
      <EdgeHint />
    </div>
  );
}

const missingAfter = 2_000;

/** Shows the node, and the field, that the address names, only once: afterwards the person may look elsewhere. */
function AddressedNode() {
  const { actions, ui } = useEditor();
  const [params, setParams] = useSearchParams();
  const id = Number(params.get("node"));
  const isHere = useView((view) => view.resolved.nodes[id] !== undefined);
  const isAsked = params.has("node");
  const field = params.get("field");
  useEffect(() => {
    if (!isAsked) return;
    const forget = () =>
      setParams(
        (now) => {
          now.delete("node");
          now.delete("field");
          return now;
        },
        { replace: true },
      );
    if (isHere) {
      actions.show(id, true);
      if (field !== null) ui.showField(id, field);
      return forget();
    }
    // A node that was just made may be on its way.
    const timer = setTimeout(() => {
      toast.warning("The node of this link is no longer in the workflow.");
      forget();
    }, missingAfter);
    return () => clearTimeout(timer);
  }, [actions, ui, id, field, isAsked, isHere, setParams]);
  return null;
}

function Notices() {
  const connected = useConnected();
  const refusal = useConnectionRefusal();
  const viewOnly = useViewOnly();
  return (
    <div className="flex flex-wrap gap-2">
      {viewOnly ? (
        <span
          data-testid="view-only"
          data-covers=""
          className="flex h-8 items-center gap-2 rounded-lg border border-line bg-surface px-3 text-sm text-ink-muted shadow-low"
        >
          <Eye className="size-4" aria-hidden="true" />
          View only
        </span>
      ) : null}
      {connected ? null : (
        <output
          data-testid="offline"
          className="flex h-8 animate-late items-center gap-2 rounded-lg border border-line bg-warning-soft px-3 text-sm text-warning-text shadow-low"
        >
          <CloudOff className="size-4" aria-hidden="true" />
          {refusal ?? "Reconnecting…"}
        </output>
      )}
    </div>
  );
}
