import { useEffect, useRef } from "react";

import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { useEditor } from "../editor-context.tsx";

/** Edits the name in the card's header. Enter or blur saves it, Escape cancels. */
export function RenameField({ node }: { node: Node }) {
  const { ui, actions } = useEditor();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, []);

  function finish(keep: boolean): void {
    if (ui.get().renaming !== node.metadata_id) return;
    ui.set({ renaming: null });
    if (keep) actions.rename(node.metadata_id, input.current?.value ?? "");
  }

  /** When left by keyboard, the focus goes to the card. */
  function leave(keep: boolean): void {
    const card = input.current?.closest<HTMLElement>(".react-flow__node");
    finish(keep);
    card?.focus({ preventScroll: true });
  }

  return (
    <input
      ref={input}
      dir="auto"
      defaultValue={node.name}
      aria-label="Node name"
      onBlur={() => finish(true)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter") leave(true);
        if (event.key === "Escape") leave(false);
      }}
      onDoubleClick={(event) => event.stopPropagation()}
      className="nodrag h-6 min-w-0 flex-1 rounded-sm border border-accent bg-surface px-1 text-sm font-semibold outline-none"
    />
  );
}
