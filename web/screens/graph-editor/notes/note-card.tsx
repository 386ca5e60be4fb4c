import { type NodeProps, useStore, useStoreApi } from "@xyflow/react";
import { Lock } from "lucide-react";
import { type PointerEvent, useEffect, useRef, useState, useSyncExternalStore } from "react";

import { formText, note as limits } from "@miranda/contract/limits.ts";
import type { NoteBody } from "@miranda/contract/schemas/node-bodies.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { grid } from "../actions/arrange.ts";
import type { CardNode } from "../canvas/flow-model.ts";
import { detail } from "../canvas/level-of-detail.ts";
import { markLooks, usePast } from "../canvas/past-view.ts";
import { nodeColour } from "../cards/kind-colours.ts";
import { useEditor, useUi, useViewOnly } from "../editor-context.tsx";
import { NoteText } from "./note-text.tsx";
import "./notes.css";

/** A note on the canvas: Markdown for people. Double click or Enter edits it, its corner resizes it. */
export function NoteCard({ data, selected }: Pick<NodeProps<CardNode>, "data" | "selected">) {
  const { node, layout } = data;
  const { peers } = useEditor();
  const viewOnly = useViewOnly();
  const isPlain = useStore((flow) => flow.transform[2] < detail.plainBelow);
  const isEdited = useUi((state) => state.renaming === node.metadata_id) && !viewOnly && !node.locked;
  const otherColour = useSyncExternalStore(peers.watch, () => peers.colourOn(node.metadata_id));
  const mark = usePast()?.nodes.get(node.metadata_id);
  // Set while somebody drags the corner.
  const [size, setSize] = useState<NoteBody | null>(null);
  return (
    <div
      className="note-card"
      data-testid="node"
      data-node-id={node.metadata_id}
      data-class="note"
      data-selected={selected || undefined}
      data-mark={mark}
      style={{ "--node": nodeColour(node), ...(otherColour && { "--other": otherColour }), ...size }}
    >
      {otherColour ? <span className="node-other-name">{peers.nameOn(node.metadata_id)}</span> : null}
      {mark ? (
        <span className="node-mark" data-testid="node-mark">
          {markLooks[mark].sign} {markLooks[mark].word}
        </span>
      ) : null}
      {node.locked ? <Lock className="note-lock" aria-label="Locked" data-testid="locked-badge" /> : null}
      {isPlain ? null : isEdited ? (
        <NoteEditor node={node} />
      ) : node.description === "" ? (
        <p className="note-text text-ink-muted">{viewOnly ? "An empty note" : "Double-click to write"}</p>
      ) : (
        <NoteText text={node.description} selected={selected} />
      )}
      {selected && !viewOnly && !node.locked && !isPlain ? (
        <ResizeCorner node={node} start={layout} onResize={setSize} />
      ) : null}
    </div>
  );
}

/** Leaving the field, Escape, and a card that leaves the view keep the text. */
function NoteEditor({ node }: { node: Node }) {
  const { ui, actions } = useEditor();
  const area = useRef<HTMLTextAreaElement>(null);
  const [text] = useState(() => node.description + (ui.get().noteText ?? ""));
  const written = useRef(text);
  // The text that this person began with: what others write meanwhile is merged with it.
  const base = useRef(node.description);
  useEffect(() => {
    ui.set({ noteText: null });
    area.current?.focus();
    area.current?.setSelectionRange(text.length, text.length);
    return () => {
      // A field that is removed is not left: the note was deleted, locked or zoomed out of view, or the page was left.
      store();
    };
    // Only when it opens: somebody else's change must not move the caret.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);

  function store(): void {
    const now = written.current;
    void actions.describe(node, now, base.current);
    base.current = now;
  }

  function finish(): void {
    if (ui.get().renaming === node.metadata_id) ui.set({ renaming: null });
    store();
  }

  return (
    <textarea
      ref={area}
      dir="auto"
      defaultValue={text}
      maxLength={formText.descriptionMax}
      aria-label="Text of the note"
      placeholder="Write Markdown"
      onChange={(event) => (written.current = event.target.value)}
      onBlur={finish}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key !== "Escape" && !(event.key === "Enter" && (event.ctrlKey || event.metaKey))) return;
        event.preventDefault();
        const card = area.current?.closest<HTMLElement>(".react-flow__node");
        finish();
        card?.focus({ preventScroll: true });
      }}
      onDoubleClick={(event) => event.stopPropagation()}
      className="note-editor nodrag nowheel nopan"
    />
  );
}

interface ResizeCornerProps {
  node: Node;
  start: NoteBody;
  onResize: (size: NoteBody | null) => void;
}

function ResizeCorner({ node, start, onResize }: ResizeCornerProps) {
  const { session } = useEditor();
  const flow = useStoreApi();
  const from = useRef<{ x: number; y: number; size: NoteBody } | null>(null);

  function move(event: PointerEvent): void {
    if (!from.current) return;
    const [, , zoom] = flow.getState().transform;
    const { x, y } = from.current;
    from.current.size = {
      width: within(start.width + (event.clientX - x) / zoom, limits.width),
      height: within(start.height + (event.clientY - y) / zoom, limits.height),
    };
    onResize(from.current.size);
  }

  function end(isKept: boolean): void {
    const size = from.current?.size;
    from.current = null;
    const isChanged = size && (size.width !== start.width || size.height !== start.height);
    if (isKept && isChanged) void session.run({ type: "patch", id: node.metadata_id, changes: { body: size } });
    onResize(null);
  }

  return (
    <span
      className="note-corner nodrag nopan"
      data-testid="note-corner"
      aria-hidden="true"
      onPointerDown={(event) => {
        event.stopPropagation();
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { x: event.clientX, y: event.clientY, size: start };
      }}
      onPointerMove={move}
      onPointerUp={() => end(true)}
      onPointerCancel={() => end(false)}
    />
  );
}

function within(value: number, { min, max }: { min: number; max: number }): number {
  return Math.min(max, Math.max(min, Math.round(value / grid) * grid));
}
