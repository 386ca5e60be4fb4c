import { useStore } from "@xyflow/react";
import {
  BoxSelect,
  Keyboard,
  LayoutGrid,
  LibraryBig,
  ListChecks,
  Map as MapIcon,
  Maximize,
  Minus,
  Plus,
  Redo2,
  Rocket,
  Search,
  Undo2,
} from "lucide-react";
import { useSyncExternalStore } from "react";
import { Link, useParams } from "react-router";

import { runsAddress } from "../../api/runs/runs.ts";
import { CommentsButton } from "../../panels/comments/comments-button.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { Tooltip } from "../../ui/overlay/tooltip.tsx";
import { useEditor, useUi, useViewOnly } from "./editor-context.tsx";
import { MiniMap } from "./canvas/mini-map.tsx";
import { keyNames } from "./actions/shortcuts.ts";
import { VersionsMenu } from "./versions-menu.tsx";

const bar = "flex items-center gap-0.5 rounded-lg border border-line bg-surface p-1 shadow-low";

/** The tools over the canvas, for adding nodes and for the view. */
export function Toolbar() {
  const { ui, actions, session } = useEditor();
  const viewOnly = useViewOnly();
  const library = useUi((state) => state.library);
  const counts = useSyncExternalStore(session.history.watch, session.history.counts);
  return (
    <div role="toolbar" aria-label="Workflow" data-covers="" className={classes(bar, "pointer-events-auto")}>
      {viewOnly ? null : (
        <>
          <IconButton icon={Plus} label={`Add node (${keyNames.add})`} onClick={() => actions.openPalette()} />
          <IconButton
            icon={LibraryBig}
            label={`Library (${keyNames.library})`}
            aria-pressed={library}
            className={library ? "bg-accent-soft text-accent-text" : ""}
            onClick={() => ui.set({ library: !library })}
          />
          <Divider />
          <IconButton
            icon={Undo2}
            label={`Undo (${keyNames.undo})`}
            disabled={counts.undo === 0}
            onClick={() => void actions.undo()}
          />
          <IconButton
            icon={Redo2}
            label={`Redo (${keyNames.redo})`}
            disabled={counts.redo === 0}
            onClick={() => void actions.redo()}
          />
          <Divider />
          <IconButton icon={LayoutGrid} label={`Arrange (${keyNames.arrange})`} onClick={() => actions.arrange()} />
        </>
      )}
      <BoxButton />
      <IconButton icon={Search} label={`Find a node (${keyNames.find})`} onClick={() => ui.set({ finding: true })} />
      <VersionsMenu />
      <RunsLink />
      <CommentsButton />
      {viewOnly ? null : (
        <IconButton
          icon={Rocket}
          label="Deploy"
          data-tour="deploy"
          // The menu of versions has it too.
          className="max-sm:hidden"
          onClick={() => ui.set({ dialog: { type: "deploy" } })}
        />
      )}
      <IconButton
        icon={Keyboard}
        label="Keyboard shortcuts (?)"
        className="max-sm:hidden"
        onClick={() => ui.set({ dialog: { type: "shortcuts" } })}
      />
    </div>
  );
}

/** Only where fingers point: a keyboard has Shift. */
function BoxButton() {
  const { ui } = useEditor();
  const boxing = useUi((state) => state.boxing);
  return (
    <IconButton
      icon={BoxSelect}
      label="Select in a box"
      aria-pressed={boxing}
      className={classes("not-pointer-coarse:hidden", boxing && "bg-accent-soft text-accent-text")}
      onClick={() => ui.set({ boxing: !boxing })}
    />
  );
}

function RunsLink() {
  const { graphId = "" } = useParams();
  return (
    <Tooltip text="Runs of this workflow">
      <Link
        to={runsAddress({ graph: graphId })}
        aria-label="Runs of this workflow"
        // The menu of versions has it too.
        className={buttonClasses({ variant: "ghost", size: "icon" }, "max-sm:hidden")}
      >
        <ListChecks className="size-4" aria-hidden="true" />
      </Link>
    </Tooltip>
  );
}

function Divider() {
  return <span aria-hidden="true" className="mx-1 h-5 w-px bg-line" />;
}

export function ZoomControls() {
  const { actions } = useEditor();
  const zoom = useStore((flow) => Math.round(flow.transform[2] * 100));
  const minimap = useUi((state) => state.minimap);
  return (
    <div className="pointer-events-auto flex flex-col items-start gap-2">
      {minimap ? <MiniMap /> : null}
      <div role="toolbar" aria-label="View" data-covers="" className={bar}>
        <IconButton icon={Minus} label={`Zoom out (${keyNames.zoomOut})`} onClick={actions.zoomOut} />
        <button
          type="button"
          onClick={() => actions.zoomTo(1)}
          title="Zoom to 100 %"
          className="h-8 w-12 rounded-md text-xs text-ink-muted tabular-nums hover:bg-hover"
        >
          {zoom} %
        </button>
        <IconButton icon={Plus} label={`Zoom in (${keyNames.zoomIn})`} onClick={actions.zoomIn} />
        <IconButton icon={Maximize} label={`Fit everything (${keyNames.fit})`} onClick={actions.fit} />
        <IconButton
          icon={MapIcon}
          label={`${minimap ? "Hide the map" : "Show the map"} (${keyNames.map})`}
          className="max-sm:hidden"
          aria-pressed={minimap}
          onClick={actions.toggleMap}
        />
      </div>
    </div>
  );
}
