import { useDeferredValue, useMemo, useRef, useState } from "react";

import { useReturnedFocus } from "../../../ui/overlay/use-returned-focus.ts";
import { useEditor, useUi, useView } from "../editor-context.tsx";
import { findNodes, titleOf } from "./find-nodes.ts";
import { classLooks } from "../cards/kind-colours.ts";
import { QuickList } from "./quick-list.tsx";

export function FindBox() {
  return useUi((state) => state.finding) ? <OpenFindBox /> : null;
}

function OpenFindBox() {
  const { ui, actions } = useEditor();
  const nodes = useView((view) => view.resolved.nodes);
  const [text, setText] = useState("");
  const panel = useRef<HTMLDivElement>(null);
  useReturnedFocus(panel);
  const query = useDeferredValue(text);
  const found = useMemo(() => findNodes(Object.values(nodes), query), [nodes, query]);
  return (
    <div
      ref={panel}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- it is not modal and is positioned by us
      role="dialog"
      aria-label="Find a node"
      data-testid="find"
      data-covers=""
      className="pointer-events-auto absolute inset-x-2 top-16 z-20 mx-auto flex max-h-[60%] max-w-sm animate-appear flex-col overflow-hidden rounded-xl bg-raised shadow-high"
    >
      <QuickList
        label="Find a node by name"
        items={found}
        // Who types fast and presses Enter means what they typed.
        upcoming={query === text ? undefined : () => findNodes(Object.values(nodes), text)[0]}
        itemKey={(node) => String(node.metadata_id)}
        text={text}
        onText={setText}
        onClose={() => ui.set({ finding: false })}
        onChoose={(node, { shiftKey }) => {
          actions.show(node.metadata_id, true);
          // With Shift the box stays open for the next result.
          if (!shiftKey) ui.set({ finding: false });
        }}
        renderItem={(node) => (
          <span className="flex items-center gap-2">
            <span className="size-2 shrink-0 rounded-full" style={{ background: classLooks[node.class].colour }} />
            <span dir="auto" className="min-w-0 flex-1 truncate text-sm">
              {titleOf(node)}
            </span>
            <span className="shrink-0 text-xs text-ink-faint">{classLooks[node.class].label}</span>
          </span>
        )}
        empty="No matching nodes."
      />
    </div>
  );
}
