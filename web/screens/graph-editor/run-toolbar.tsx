import { RunBar } from "../../panels/processor/run-bar.tsx";
import { RunState } from "../../panels/processor/run-state.tsx";
import { useUi, useView, useViewOnly } from "./editor-context.tsx";

/** The run bar over the canvas: runs everything, or parts around the selected node. */
export function RunToolbar() {
  const viewOnly = useViewOnly();
  const only = useUi(({ selected }) => (selected.size === 1 ? [...selected][0] : undefined));
  const isCode = useView((view) => view.resolved.nodes[only ?? -1]?.class === "Code_block");
  // While code is open beside the canvas, the run bar is beside the code.
  const isInDock = useUi((state) => state.dock !== null);
  if (viewOnly || isInDock) return null;
  return (
    <div
      data-covers=""
      className="pointer-events-auto flex items-center rounded-lg border border-line bg-surface p-1 shadow-low"
    >
      <RunBar node={isCode ? only : undefined} />
      <RunState />
    </div>
  );
}
