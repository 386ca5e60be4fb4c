import type { Edge as FlowEdge, Node as FlowNode, NodeHandle } from "@xyflow/react";
import { Position as FlowSide } from "@xyflow/react";

import { problemsOf } from "@miranda/contract/graph/attributes/field-problem.ts";
import type { Edge, Node, NodeGroup, Position } from "@miranda/contract/schemas/nodes.ts";

import type { Ghost } from "../../../providers/graph/graph-store.ts";
import { idOf, type ResolvedContent } from "@miranda/contract/graph/resolution/resolve-content.ts";
import type { Box } from "../actions/arrange.ts";
import { groupPrefix, hiddenNodes } from "../cards/collapsed-groups.ts";
import { frameOf, holesIn } from "../cards/group-frame.ts";
import { type GroupPort, type GroupPorts, groupHandle, portsOfGroups } from "../cards/group-ports.ts";
import { kindColour } from "../cards/kind-colours.ts";
import { handleIds, type NodeLayout, nodeLayout } from "@miranda/contract/graph/layout/card-layout.ts";

export type CardNode = FlowNode<{ node: Node; layout: NodeLayout }, "card">;
export type GhostFlowNode = FlowNode<Record<string, never>, "ghost">;
export type GroupFlowNode = FlowNode<
  { group: NodeGroup; count: number; holes: readonly Omit<Box, "id">[]; ports: readonly GroupPort[] },
  "frame" | "collapsed"
>;
export type AnyFlowNode = CardNode | GhostFlowNode | GroupFlowNode;
export type LineEdge = FlowEdge<{ edge: Edge; broken: boolean; colour: string }, "line">;

const ghostSize = { width: 256, height: 92 } as const;
const handleSize = 12;

export interface FlowInput {
  resolved: ResolvedContent;
  ghosts: readonly Ghost[];
  selected: ReadonlySet<number>;
  selectedEdges: ReadonlySet<string>;
  drag: ReadonlyMap<number, Position> | null;
  viewOnly: boolean;
}

interface KnownNode {
  node: Node;
  x: number;
  y: number;
  selected: boolean;
  viewOnly: boolean;
  flow: CardNode;
}

interface KnownEdge {
  edge: Edge;
  label: string;
  from: string;
  to: string;
  fromHandle: string;
  toHandle: string;
  selected: boolean;
  viewOnly: boolean;
  flow: LineEdge;
}

export type FlowModel = ReturnType<typeof createFlowModel>;

/** Turns the graph into xyflow's nodes and edges. What did not change stays the same object. */
export function createFlowModel() {
  let knownNodes = new Map<string, KnownNode>();
  let knownEdges = new Map<string, KnownEdge>();
  let groups: GroupFlowNode[] = [];

  return {
    /** Where the frame of a group is drawn. */
    placeOf: (groupId: string): Position | undefined => groups.find(({ id }) => id === groupId)?.position,

    nodes({ resolved, ghosts, selected, drag, viewOnly }: FlowInput): AnyFlowNode[] {
      const next = new Map<string, KnownNode>();
      const hidden = hiddenNodes(resolved.content.groups);
      const cards: AnyFlowNode[] = [];
      for (const key in resolved.nodes) {
        const node = resolved.nodes[key];
        if (!node || hidden.has(node.metadata_id)) continue;
        const { x, y } = drag?.get(node.metadata_id) ?? node.position;
        const isSelected = selected.has(node.metadata_id);
        const known = knownNodes.get(key);
        const isSame =
          known?.node === node &&
          known.x === x &&
          known.y === y &&
          known.selected === isSelected &&
          known.viewOnly === viewOnly;
        const entry = isSame
          ? known
          : { node, x, y, selected: isSelected, viewOnly, flow: cardNode(node, { x, y }, isSelected, viewOnly) };
        next.set(key, entry);
        cards.push(entry.flow);
      }
      knownNodes = next;
      // The cards that are drawn and are not in the group.
      const strangers = function* ({ metadata_ids }: NodeGroup): Generator<Box> {
        const members = new Set(metadata_ids);
        for (const { node, x, y } of next.values()) {
          if (members.has(node.metadata_id)) continue;
          const { width, height } = nodeLayout(node);
          yield { id: node.metadata_id, x, y, width, height };
        }
      };
      const ports = portsOfGroups(resolved, hidden);
      groups = Object.values(resolved.content.groups).flatMap((group) =>
        groupNode({
          ...{ group, nodes: resolved.nodes, drag, selected, viewOnly },
          strangers: group.collapsed ? [] : strangers(group),
          groupPorts: ports.get(groupPrefix + group.id),
        }),
      );
      return [...groups, ...cards, ...ghosts.map(ghostFlowNode)];
    },

    edges({ resolved, selectedEdges, viewOnly }: Omit<FlowInput, "ghosts" | "drag" | "selected">): LineEdge[] {
      const next = new Map<string, KnownEdge>();
      const hidden = hiddenNodes(resolved.content.groups);
      const ports = portsOfGroups(resolved, hidden);
      const groupEnd = (group: string, type: GroupPort["type"], key: number, name: string) => {
        const id = groupHandle(type, key, name);
        const isDrawn = ports.get(group)?.ports.some(({ handle }) => handle === id);
        return isDrawn ? id : type === "source" ? handleIds.lostSource : handleIds.lostTarget;
      };
      for (const edge of resolved.edges) {
        const source = resolved.nodes[edge.source_wob_key];
        const target = resolved.nodes[edge.destination_wob_key];
        if (!source || !target) continue;
        const fromGroup = hidden.get(edge.source_wob_key);
        const toGroup = hidden.get(edge.destination_wob_key);
        // Edges inside a collapsed group are hidden.
        if (fromGroup !== undefined && fromGroup === toGroup) continue;
        const id = idOf(edge);
        const from = fromGroup ?? String(edge.source_wob_key);
        const to = toGroup ?? String(edge.destination_wob_key);
        const hasSource = handlesOf(nodeLayout(source)).has(handleIds.transmitter(edge.source_transmitter_key));
        const hasTarget = handlesOf(nodeLayout(target)).has(handleIds.receiver(edge.destination_receiver_key));
        const fromHandle =
          fromGroup !== undefined
            ? groupEnd(fromGroup, "source", edge.source_wob_key, edge.source_transmitter_key)
            : hasSource
              ? handleIds.transmitter(edge.source_transmitter_key)
              : handleIds.lostSource;
        const toHandle =
          toGroup !== undefined
            ? groupEnd(toGroup, "target", edge.destination_wob_key, edge.destination_receiver_key)
            : hasTarget
              ? handleIds.receiver(edge.destination_receiver_key)
              : handleIds.lostTarget;
        const isSelected = selectedEdges.has(id);
        const label = `From ${source.name}, ${edge.source_transmitter_key}, to ${target.name}, ${edge.destination_receiver_key}`;
        const known = knownEdges.get(id);
        const isSame =
          known?.edge === edge &&
          known.label === label &&
          known.from === from &&
          known.to === to &&
          known.fromHandle === fromHandle &&
          known.toHandle === toHandle &&
          known.selected === isSelected &&
          known.viewOnly === viewOnly;
        next.set(
          id,
          isSame
            ? known
            : {
                edge,
                label,
                from,
                to,
                fromHandle,
                toHandle,
                selected: isSelected,
                viewOnly,
                flow: {
                  id,
                  type: "line",
                  source: from,
                  target: to,
                  sourceHandle: fromHandle,
                  targetHandle: toHandle,
                  selected: isSelected,
                  ariaLabel: label,
                  selectable: edge.implied !== true,
                  focusable: edge.implied !== true,
                  reconnectable: !viewOnly && edge.implied !== true && fromGroup === undefined && toGroup === undefined,
                  data: { edge, broken: isBroken(edge, source, target), colour: kindColour(edge.kind) },
                },
              },
        );
      }
      knownEdges = next;
      return Array.from(next.values(), ({ flow }) => flow);
    },
  };
}

/** Whether the code no longer declares an attribute of the edge. */
function isBroken(edge: Edge, source: Node, target: Node): boolean {
  const leaves = source.api.attributes.some(
    ({ name, direction }) => name === edge.source_transmitter_key && direction !== "RECEIVER",
  );
  const arrives = target.api.attributes.some(
    ({ name, direction }) => name === edge.destination_receiver_key && direction.startsWith("RECEIVER"),
  );
  return !leaves || !arrives;
}

const handleSets = new WeakMap<NodeLayout, ReadonlySet<string>>();

function handlesOf(layout: NodeLayout): ReadonlySet<string> {
  const known = handleSets.get(layout);
  if (known) return known;
  const made = new Set(layout.ports.map(({ handle }) => handle));
  handleSets.set(layout, made);
  return made;
}

const handleLists = new WeakMap<NodeLayout, NodeHandle[]>();
export const flowSides = {
  left: FlowSide.Left,
  right: FlowSide.Right,
  bottom: FlowSide.Bottom,
  top: FlowSide.Top,
} as const;

function handlesFor(layout: NodeLayout): NodeHandle[] {
  const known = handleLists.get(layout);
  if (known) return known;
  const half = handleSize / 2;
  const place = { width: handleSize, height: handleSize };
  const made: NodeHandle[] = [
    ...layout.ports.map(({ handle, type, side, x, y }) => ({
      ...place,
      id: handle,
      type,
      position: flowSides[side],
      x: x - half,
      y: y - half,
    })),
    ...lostHandles(layout),
  ];
  handleLists.set(layout, made);
  return made;
}

function lostHandles({ width, height }: { width: number; height: number }): NodeHandle[] {
  const y = Math.min(22, height / 2) - handleSize / 2;
  const place = { y, width: handleSize, height: handleSize };
  return [
    { ...place, id: handleIds.lostSource, type: "source", position: FlowSide.Right, x: width - handleSize / 2 },
    { ...place, id: handleIds.lostTarget, type: "target", position: FlowSide.Left, x: -handleSize / 2 },
  ];
}

function groupHandles(ports: readonly GroupPort[], width: number): NodeHandle[] {
  return ports.map(({ handle, type, y }) => ({
    ...{ id: handle, type, width: handleSize, height: handleSize, y: y - handleSize / 2 },
    position: type === "source" ? FlowSide.Right : FlowSide.Left,
    x: (type === "source" ? width : 0) - handleSize / 2,
  }));
}

function cardNode(node: Node, position: Position, selected: boolean, viewOnly: boolean): CardNode {
  const layout = nodeLayout(node);
  const { width, height } = layout;
  const free = !viewOnly && !node.locked;
  return {
    id: String(node.metadata_id),
    type: "card",
    position,
    data: { node, layout },
    width,
    height,
    measured: { width, height },
    handles: handlesFor(layout),
    selected,
    draggable: free,
    connectable: free,
    ariaLabel: accessibleName(node),
    // Behind the nodes that it is about.
    ...(node.class === "note" && { zIndex: -1 }),
  };
}

/** A node's name for screen readers, with what its card shows by icons alone. */
function accessibleName({ name, class: kind, locked, api }: Node): string {
  const isUnfit = problemsOf({ api }).length > 0;
  const signs = [
    api.error ? "has an error" : "",
    isUnfit ? "has a field that cannot be read" : "",
    locked ? "locked" : "",
    api.disabled ? "disabled" : "",
  ];
  return [name, spokenClass[kind], ...signs].filter(Boolean).join(", ");
}

const spokenClass: Record<Node["class"], string> = {
  Code_block: "code block",
  compute_policy: "compute policy",
  storage_policy: "storage policy",
  note: "note",
  ghost: "",
};

function ghostFlowNode({ id, position }: Ghost): GhostFlowNode {
  return {
    id: `ghost:${id}`,
    type: "ghost",
    position,
    data: {},
    ...ghostSize,
    measured: ghostSize,
    draggable: false,
    selectable: false,
    connectable: false,
    ariaLabel: "Instantiating",
  };
}

interface DrawnGroup extends Pick<FlowInput, "drag" | "selected" | "viewOnly"> {
  group: NodeGroup;
  nodes: Readonly<Record<string, Node>>;
  /** The drawn cards that are not in the group. */
  strangers: Iterable<Box>;
  groupPorts: GroupPorts | undefined;
}

function groupNode({ group, nodes, drag, selected, viewOnly, strangers, groupPorts }: DrawnGroup): GroupFlowNode[] {
  const { ports, rows } = groupPorts ?? { ports: [], rows: 0 };
  const boxes = group.metadata_ids.flatMap((id): Box[] => {
    const node = nodes[id];
    if (!node) return [];
    const { width, height } = nodeLayout(node);
    return [{ id, ...(drag?.get(id) ?? node.position), width, height }];
  });
  if (boxes.length === 0) return [];
  const frame = frameOf(group, boxes, rows);
  const { x, y, ...size } = frame;
  return [
    {
      id: groupPrefix + group.id,
      type: group.collapsed ? "collapsed" : "frame",
      position: { x, y },
      data: { group, count: boxes.length, holes: holesIn(frame, strangers), ports },
      ...size,
      measured: size,
      handles: [...groupHandles(ports, size.width), ...lostHandles(size)],
      // Selecting the card selects its members. The frame of an open group is never selected: its members are.
      selectable: group.collapsed,
      selected: group.collapsed && boxes.some(({ id }) => selected.has(id)),
      draggable: !viewOnly,
      connectable: false,
      zIndex: group.collapsed ? 0 : -1,
      dragHandle: ".group-handle",
      ariaLabel: `${group.name}, group of ${boxes.length}`,
    },
  ];
}
