import { RunBar } from "../../panels/processor/run-bar.tsx";
import { useUi, useView, useViewOnly } from "./editor-context.tsx";

/** Ways to run, over the canvas: all of it, or what the one selected node is part of. */
export function RunToolbar() {
  const viewOnly = useViewOnly();
  const only = useUi(({ selected }) => (selected.size === 1 ? [...selected][0] : undefined));
  const isCode = useView((view) => view.resolved.nodes[only ?? -1]?.class === "Code_block");
  if (viewOnly) return null;
  return (
    <div data-covers="" className="pointer-events-auto rounded-lg border border-line bg-surface p-1 shadow-low">
      <RunBar node={isCode ? only : undefined} />
    </div>
  );
}
