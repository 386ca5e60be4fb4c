import { Handle, type NodeProps, useStore } from "@xyflow/react";
import {
  Braces,
  CircleAlert,
  CircleArrowUp,
  Cpu,
  Database,
  GitBranch,
  Lock,
  PowerOff,
  StickyNote,
  TriangleAlert,
} from "lucide-react";
import { memo, useEffect, useRef, useState, useSyncExternalStore } from "react";

import { problemsOf } from "@miranda/contract/graph/attributes/field-problem.ts";
import type { Attribute } from "@miranda/contract/schemas/attributes.ts";
import type { DraftAuthor } from "@miranda/contract/schemas/code.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { useSession } from "../../../api/account/session.ts";
import { CommentMark } from "./comment-mark.tsx";
import { LastChange } from "../../../panels/last-change.tsx";
import { useProcessorState } from "../../../providers/processor/processor-provider.tsx";
import { authorNames } from "../../../providers/unsaved/unsaved-code.ts";
import { useUnsavedCodeOf } from "../../../providers/unsaved/use-unsaved-code.ts";
import { classes } from "../../../ui/classes.ts";
import { oneLine, startOf } from "../../../ui/text/drawable-text.ts";
import { Tooltip } from "../../../ui/overlay/tooltip.tsx";
import { AttributeControl } from "./attribute-control.tsx";
import { useEditor, useUi, useView } from "../editor-context.tsx";
import { type CardNode, flowSides } from "../canvas/flow-model.ts";
import { markLooks, usePast } from "../canvas/past-view.ts";
import { fits, type PortRef } from "../edges/joining.ts";
import { kindColour, nodeColour } from "./kind-colours.ts";
import { detail } from "../canvas/level-of-detail.ts";
import { NoteCard } from "../notes/note-card.tsx";
import { handleIds, isTall, type NodeLayout, type PortPlace } from "@miranda/contract/graph/layout/card-layout.ts";
import { CardBars, NodeRunState } from "./node-run.tsx";
import { policySummary } from "./policy-summary.ts";
import { RenameField } from "./rename-field.tsx";
import { statusLook } from "./status.ts";

/** A tooltip has no room for more. */
const problemsShown = 3;
/** As long as other tooltips wait. */
const hintAfter = 300;

const classIcons = {
  Code_block: Braces,
  compute_policy: Cpu,
  storage_policy: Database,
  note: StickyNote,
  ghost: Braces,
} as const;

/** A node on the canvas. */
export const NodeCard = memo(function NodeCard({ data, selected }: NodeProps<CardNode>) {
  return data.node.class === "note" ? (
    <NoteCard data={data} selected={selected} />
  ) : (
    <PortedCard data={data} selected={selected} />
  );
});

/** Subscribes to as little as possible, so that it rarely renders. */
function PortedCard({ data, selected }: Pick<NodeProps<CardNode>, "data" | "selected">) {
  const { node, layout } = data;
  const isPlain = useStore((flow) => flow.transform[2] < detail.plainBelow);
  const { peers } = useEditor();
  const otherColour = useSyncExternalStore(peers.watch, () => peers.colourOn(node.metadata_id));
  const isRunning = useProcessorState(({ debugging }) => debugging.runningNode === node.metadata_id);
  const past = usePast();
  const mark = past?.nodes.get(node.metadata_id);
  const ran = past?.runs?.get(node.metadata_id);
  const pulled = useUi((state) => state.pulled);
  const isAway = pulled !== null && !node.api.attributes.some((attribute) => fits(pulled, node, attribute));
  const status = isRunning && !past ? "running" : statusLook(node.status).tone;
  return (
    <div
      className="node-card"
      data-testid="node"
      data-node-id={node.metadata_id}
      data-class={node.class}
      data-status={status}
      data-selected={selected || undefined}
      data-disabled={node.api.disabled || undefined}
      data-locked={node.locked || undefined}
      data-unfit={problemsOf(node).length > 0 || undefined}
      data-away={(isAway && pulled.nodeId !== node.metadata_id) || undefined}
      data-plain={isPlain || undefined}
      data-mark={mark}
      data-ran={ran?.state}
      style={{ "--node": nodeColour(node), ...(otherColour && { "--other": otherColour }) }}
    >
      {otherColour ? <OtherName id={node.metadata_id} /> : null}
      {mark ? (
        <span className="node-mark" data-testid="node-mark">
          {markLooks[mark].sign} {markLooks[mark].word}
        </span>
      ) : null}
      {ran ? (
        <span className="node-mark" data-testid="node-ran">
          {ran.sign} {ran.time || ran.word}
          {ran.time ? <span className="sr-only"> {ran.word}</span> : null}
        </span>
      ) : null}
      {isPlain ? (
        <div className="node-plain-name" dir="auto">
          {node.name}
        </div>
      ) : (
        <>
          <Header node={node} />
          {node.tags.tags.length > 0 ? <Tags tags={node.tags.tags} /> : null}
          {node.class === "Code_block" ? (
            layout.ports.map((place) => <Port key={place.handle} node={node} place={place} pulled={pulled} />)
          ) : (
            <div className="node-summary">{policySummary(node)}</div>
          )}
          {/* A version has no runs: those of the workflow as it is would be shown at its nodes. */}
          {past ? null : <CardBars node={node.metadata_id} />}
          {past ? null : <NodeRunState node={node} selected={selected} />}
        </>
      )}
      <Handles node={node} layout={layout} isPlain={isPlain} pulled={pulled} />
    </div>
  );
}

function OtherName({ id }: { id: number }) {
  const { peers } = useEditor();
  return <span className="node-other-name">{peers.nameOn(id)}</span>;
}

function Header({ node }: { node: Node }) {
  const { ui } = useEditor();
  const isRenaming = useUi((state) => state.renaming === node.metadata_id);
  const isPast = usePast() !== null;
  const [isPointed, setPointed] = useState(false);
  const hasHint = node.description !== "" || !isPast;
  const pointed = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(pointed.current), []);
  const Icon = classIcons[node.class];
  const title = (
    <span
      className="node-name"
      dir="auto"
      data-testid="node-name"
      // Thousands of cards would otherwise each have a tooltip.
      onPointerEnter={() => {
        pointed.current = setTimeout(() => setPointed(true), hintAfter);
      }}
      onPointerLeave={() => clearTimeout(pointed.current)}
      onDoubleClick={(event) => {
        event.stopPropagation();
        setPointed(false);
        ui.set({ renaming: node.metadata_id });
      }}
    >
      {node.name}
    </span>
  );
  return (
    <div className="node-header">
      <span className="node-icon">
        <Icon className="size-3.5" aria-hidden="true" />
      </span>
      {isRenaming ? (
        <RenameField node={node} />
      ) : isPointed && hasHint ? (
        <Tooltip text={<NodeHint node={node} isPast={isPast} />} defaultOpen>
          {title}
        </Tooltip>
      ) : (
        title
      )}
      <Badges node={node} />
    </div>
  );
}

/** What the node is for, and who changed it last. */
function NodeHint({ node, isPast }: { node: Node; isPast: boolean }) {
  return (
    <span className="flex flex-col gap-1">
      {node.description ? <span>{shortened(node.description)}</span> : null}
      {isPast ? null : <LastChange node={node.metadata_id} />}
    </span>
  );
}

function Badges({ node }: { node: Node }) {
  const look = statusLook(node.status);
  const past = usePast();
  return (
    <span className="flex shrink-0 items-center gap-1 text-ink-faint [&_svg]:size-3.5">
      {node.api.error ? (
        <Tooltip text={oneLine(node.api.error)}>
          <button type="button" className="nodrag text-danger-text" aria-label={`Error: ${oneLine(node.api.error)}`}>
            <CircleAlert />
          </button>
        </Tooltip>
      ) : null}
      <FieldProblems node={node} />
      {past ? null : <UnsavedMark id={node.metadata_id} />}
      {past ? null : <CommentMark ids={[node.metadata_id]} />}
      {node.update ? <CircleArrowUp className="text-info-text" aria-label="Newer code is available" /> : null}
      {node.git ? <GitBranch aria-label="From git" /> : null}
      {node.locked ? <Lock aria-label="Locked" data-testid="locked-badge" /> : null}
      {node.api.disabled ? <PowerOff aria-label="Disabled" data-testid="disabled-badge" /> : null}
      {look.tone === "none" ? null : (
        <span className="status-dot" title={look.label} data-testid="status-dot">
          <span className="sr-only">{look.label}</span>
        </span>
      )}
    </span>
  );
}

/** Marks a node with fields that no run can use. */
function FieldProblems({ node }: { node: Node }) {
  const { ui } = useEditor();
  const problems = problemsOf(node);
  const [first] = problems;
  if (!first) return null;
  const words = problems.slice(0, problemsShown).map((problem) => oneLine(problem.words));
  return (
    <Tooltip text={words.join(" ")}>
      <button
        type="button"
        className="nodrag text-danger-text"
        aria-label={words.join(" ")}
        data-testid="unfit-badge"
        onClick={() => ui.showField(node.metadata_id, first.field)}
      >
        <TriangleAlert />
      </button>
    </Tooltip>
  );
}

/** Marks a node with uncommitted code. */
function UnsavedMark({ id }: { id: number }) {
  const draft = useUnsavedCodeOf(id);
  return draft ? <UnsavedDot authors={draft.authors} /> : null;
}

function UnsavedDot({ authors }: { authors: readonly DraftAuthor[] }) {
  const { account } = useSession();
  const label = `Unsaved code by ${authorNames(authors, account?.username)}`;
  return (
    <Tooltip text={label}>
      <button
        type="button"
        className="nodrag grid size-4 place-items-center"
        aria-label={label}
        data-testid="unsaved-mark"
      >
        <span className="size-2 rounded-full bg-warning" />
      </button>
    </Tooltip>
  );
}

function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <div className="node-tags">
      {tags.map((tag) => (
        <span key={tag} className="node-tag">
          {tag}
        </span>
      ))}
    </div>
  );
}

function Port({ node, place, pulled }: { node: Node; place: PortPlace; pulled: PortRef | null }) {
  const { index, side, row, top, height } = place;
  const attribute = node.api.attributes[index];
  if (!attribute) return null;
  const isLit = pulled !== null && fits(pulled, node, attribute);
  return (
    <div
      className={classes("node-port", `node-port-${row}`)}
      data-side={side}
      data-lit={isLit || undefined}
      data-dim={(pulled !== null && !isLit) || undefined}
      data-tall={isTall(attribute) || undefined}
      data-testid={`attribute-${attribute.name}`}
      style={row === "policy" ? { top, height, left: place.x - 60, width: 120 } : { top, height }}
    >
      <span className="node-port-name" title={`${attribute.name} · ${attribute.kind || "any"}`}>
        {attribute.name}
        {attribute.optional ? <span className="text-ink-faint">?</span> : null}
      </span>
      {row === "field" ? <FieldControl node={node} attribute={attribute} /> : null}
    </div>
  );
}

function FieldControl({ node, attribute }: { node: Node; attribute: Attribute }) {
  const { session } = useEditor();
  const viewOnly = useView((view) => view.viewOnly);
  return (
    <div className="node-control">
      <AttributeControl
        nodeId={node.metadata_id}
        attribute={attribute}
        disabled={viewOnly || node.locked}
        label={attribute.name}
        onCommit={(value) => void session.run({ type: "set", id: node.metadata_id, name: attribute.name, value })}
      />
    </div>
  );
}

interface HandlesProps {
  node: Node;
  layout: NodeLayout;
  isPlain: boolean;
  pulled: PortRef | null;
}

/** Zoomed out they are plain dots: nobody drags from a port that is too small to read, but edges still end there. */
function Handles({ node, layout, isPlain, pulled }: HandlesProps) {
  const id = String(node.metadata_id);
  return (
    <>
      {layout.ports.map(({ index, handle: handleId, type, side, x, y }) => {
        const attribute = node.api.attributes[index];
        if (!attribute) return null;
        if (isPlain) return <PlainHandle key={handleId} id={handleId} node={id} type={type} side={side} x={x} y={y} />;
        const isLit = pulled !== null && fits(pulled, node, attribute);
        return (
          <Handle
            key={handleId}
            id={handleId}
            type={type}
            position={flowSides[side]}
            className="port-handle"
            data-connected={attribute.is_connected || undefined}
            data-lit={isLit || undefined}
            data-field={attribute.direction.endsWith("_FIELD") || undefined}
            data-testid={`handle-${handleId}`}
            aria-hidden="true"
            style={{ left: x, top: y, "--kind": kindColour(attribute.kind) }}
          />
        );
      })}
      <PlainHandle id={handleIds.lostSource} node={id} type="source" side="right" x={layout.width} y={22} />
      <PlainHandle id={handleIds.lostTarget} node={id} type="target" side="left" x={0} y={22} />
    </>
  );
}

interface PlainHandleProps {
  id: string;
  node: string;
  type: "source" | "target";
  side: keyof typeof flowSides;
  x: number;
  y: number;
}

/** An end point for xyflow's edges, without the cost of a port that can be dragged from. */
export function PlainHandle({ id, node, type, side, x, y }: PlainHandleProps) {
  return (
    <span
      className={classes("plain-handle", type)}
      data-handleid={id}
      data-nodeid={node}
      data-handlepos={flowSides[side]}
      style={{ left: x, top: y }}
    />
  );
}

function shortened(text: string): string {
  return text.length > 240 ? `${startOf(text, 240)}…` : text;
}
