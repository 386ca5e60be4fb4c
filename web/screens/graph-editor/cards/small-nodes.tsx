import type { NodeProps } from "@xyflow/react";
import { ChevronDown, ChevronRight, Layers } from "lucide-react";
import { Fragment, memo } from "react";

import { ghost } from "../../../limits.ts";

import { SpinnerIcon } from "../../../ui/layout/spinner.tsx";
import { useEditor, useViewOnly } from "../editor-context.tsx";
import { usePast } from "../canvas/past-view.ts";
import type { GhostFlowNode, GroupFlowNode } from "../canvas/flow-model.ts";
import { CommentMark } from "./comment-mark.tsx";
import { collapsedSize, holedShape } from "./group-frame.ts";
import { PlainHandle } from "./node-card.tsx";
import { handleIds } from "@miranda/contract/graph/layout/card-layout.ts";

/** Shown where a node was dropped until the server has created it. */
export const GhostCard = memo(function GhostCard(_props: NodeProps<GhostFlowNode>) {
  return (
    <div className="ghost-card" data-testid="ghost-node" data-key={ghost.key}>
      <SpinnerIcon />
      <span>{ghost.name}</span>
    </div>
  );
});

/** The frame around a group, or its card when it is collapsed. */
export const GroupFrame = memo(function GroupFrame({ id, data, selected, width, height }: NodeProps<GroupFlowNode>) {
  const { ui, actions, session } = useEditor();
  const viewOnly = useViewOnly();
  const past = usePast();
  const { group, count, holes, ports } = data;
  const isCollapsed = group.collapsed;
  const Arrow = isCollapsed ? ChevronRight : ChevronDown;
  return (
    <div
      className={isCollapsed ? "group-card" : "group-frame"}
      data-testid="group"
      data-selected={selected || undefined}
      data-holes={holes.length || undefined}
      data-ports={ports.length || undefined}
      style={{
        ...{ width, height, "--node": group.colour ?? "var(--ink-faint)" },
        clipPath: holedShape({ width: width ?? 0, height: height ?? 0 }, holes),
      }}
      onClick={(event) => {
        event.stopPropagation();
        ui.choose(group.metadata_ids, event.shiftKey || event.ctrlKey || event.metaKey);
      }}
      onKeyDown={undefined}
      role="presentation"
      onContextMenu={(event) => {
        event.preventDefault();
        event.stopPropagation();
        ui.set({ menu: { on: "group", id: group.id, x: event.clientX, y: event.clientY } });
      }}
    >
      <div className="group-handle">
        <button
          type="button"
          aria-label={isCollapsed ? `Expand ${group.name}` : `Collapse ${group.name}`}
          disabled={viewOnly}
          onClick={(event) => {
            event.stopPropagation();
            actions.toggleCollapsed(group.id);
          }}
          className="nodrag grid size-5 shrink-0 place-items-center rounded-sm text-ink-muted hover:bg-hover"
        >
          <Arrow className="size-3.5" aria-hidden="true" />
        </button>
        {isCollapsed ? <Layers className="size-4 shrink-0 text-ink-muted" aria-hidden="true" /> : null}
        <input
          key={group.name}
          dir="auto"
          defaultValue={group.name}
          readOnly={viewOnly}
          aria-label="Group name"
          onClick={(event) => event.stopPropagation()}
          onKeyDown={(event) => {
            event.stopPropagation();
            if (event.key === "Enter" || event.key === "Escape") event.currentTarget.blur();
          }}
          onBlur={(event) => {
            const name = event.target.value.trim();
            if (name !== "" && name !== group.name)
              void session.run({ type: "regroup", id: group.id, fields: { name } });
            else event.target.value = group.name;
          }}
          className="nodrag field-sizing-content max-w-full min-w-8 truncate rounded-sm bg-transparent px-1 text-sm font-medium focus:bg-surface focus-visible:outline-offset-0"
        />
        <span className="shrink-0 text-xs text-ink-faint">{count}</span>
        {isCollapsed && !past ? <CommentMark ids={group.metadata_ids} /> : null}
      </div>
      {ports.map(({ handle, type, node, name, colour, y }) => {
        const isSource = type === "source";
        return (
          <Fragment key={handle}>
            <span
              className="group-port"
              data-testid="group-port"
              data-side={isSource ? "right" : "left"}
              title={`${node} · ${name}`}
              style={{ top: y - 12, "--kind": colour }}
            >
              <span className="truncate">{name}</span>
            </span>
            <PlainHandle
              id={handle}
              node={id}
              type={type}
              side={isSource ? "right" : "left"}
              x={isSource ? (width ?? collapsedSize.width) : 0}
              y={y}
            />
          </Fragment>
        );
      })}
      <PlainHandle
        id={handleIds.lostSource}
        node={id}
        type="source"
        side="right"
        x={width ?? collapsedSize.width}
        y={22}
      />
      <PlainHandle id={handleIds.lostTarget} node={id} type="target" side="left" x={0} y={22} />
    </div>
  );
});
