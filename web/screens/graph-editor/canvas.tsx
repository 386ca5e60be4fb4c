import {
  type Connection,
  type EdgeChange,
  type FinalConnectionState,
  type NodeChange,
  type OnConnectStartParams,
  ReactFlow,
} from "@xyflow/react";
import { type DragEvent, useMemo, useState } from "react";

import type { Position } from "@miranda/contract/schemas/nodes.ts";

import { grid } from "./arrange.ts";
import { CanvasCursors } from "./canvas-cursors.tsx";
import { DotGrid } from "./dot-grid.tsx";
import { EdgeLine } from "./edge-line.tsx";
import { useEditor, useUi, useView } from "./editor-context.tsx";
import { FarLayer } from "./far-layer.tsx";
import { type AnyFlowNode, createFlowModel, groupPrefix, type LineEdge } from "./flow-model.ts";
import { canJoin, endsBetween, fittingAttribute, type PortRef } from "./joining.ts";
import { detail, isFar } from "./level-of-detail.ts";
import { NodeCard } from "./node-card.tsx";
import { draggedItemType, type PaletteItem } from "./palette-items.ts";
import { connectionEnds, createReconnecting } from "./reconnecting.ts";
import { GhostCard, GroupFrame } from "./small-nodes.tsx";
import type { Stage } from "./stage.ts";

const nodeTypes = { card: NodeCard, ghost: GhostCard, frame: GroupFrame, collapsed: GroupFrame };
const edgeTypes = { line: EdgeLine };
const noNodes: AnyFlowNode[] = [];
const noEdges: LineEdge[] = [];
const snapGrid: [number, number] = [grid, grid];
const severalKeys = ["Meta", "Control", "Shift"];

export function Canvas({ stage, pane }: { stage: Stage; pane: HTMLElement }) {
  const { session, ui, actions } = useEditor();
  const { resolved, ghosts, viewOnly } = useView((view) => view);
  const selected = useUi((state) => state.selected);
  const selectedEdges = useUi((state) => state.selectedEdges);
  const drag = useUi((state) => state.drag);
  const [model] = useState(createFlowModel);
  const [viewport] = useState(() => stage.initial(resolved.nodes, pane.getBoundingClientRect()));
  const [reconnecting] = useState(() => createReconnecting(session));
  const [zoomIsFar, setZoomIsFar] = useState(viewport.zoom < detail.farBelow);

  const far = zoomIsFar && isFar(0, Object.keys(resolved.nodes).length);
  const nodes = useMemo(
    () => (far ? noNodes : model.nodes({ resolved, ghosts, selected, selectedEdges, drag, viewOnly })),
    [model, far, resolved, ghosts, selected, selectedEdges, drag, viewOnly],
  );
  const edges = useMemo(
    () => (far ? noEdges : model.edges({ resolved, selectedEdges, viewOnly })),
    [model, far, resolved, selectedEdges, viewOnly],
  );

  function onNodesChange(changes: NodeChange<AnyFlowNode>[]): void {
    const moved = new Map(ui.get().drag);
    const chosen = new Set(ui.get().selected);
    let [hasMoved, hasChosen] = [false, false];
    for (const change of changes) {
      if (change.type === "position" && change.position && change.dragging === true) {
        hasMoved = true;
        if (change.id.startsWith(groupPrefix)) moveGroup(change.id, change.position, moved);
        else moved.set(Number(change.id), change.position);
      } else if (change.type === "select" && !change.id.startsWith(groupPrefix)) {
        hasChosen = true;
        if (change.selected) chosen.add(Number(change.id));
        else chosen.delete(Number(change.id));
      }
    }
    if (hasMoved) ui.set({ drag: moved });
    if (hasChosen) ui.set({ selected: chosen });
  }

  /** A frame has no place of its own: its members move, and it follows. */
  function moveGroup(flowId: string, to: Position, moved: Map<number, Position>): void {
    const group = session.store.content().groups[flowId.slice(groupPrefix.length)];
    const frame = nodes.find(({ id }) => id === flowId);
    if (!group || !frame) return;
    for (const id of group.metadata_ids) {
      const node = resolved.nodes[id];
      if (!node || node.locked) continue;
      const at = moved.get(id) ?? node.position;
      moved.set(id, { x: at.x + to.x - frame.position.x, y: at.y + to.y - frame.position.y });
    }
  }

  function onEdgesChange(changes: EdgeChange<LineEdge>[]): void {
    const chosen = new Set(ui.get().selectedEdges);
    for (const change of changes) {
      if (change.type !== "select") continue;
      if (change.selected) chosen.add(change.id);
      else chosen.delete(change.id);
    }
    ui.set({ selectedEdges: chosen });
  }

  function portOf({ nodeId, handleId }: Pick<OnConnectStartParams, "nodeId" | "handleId">): PortRef | null {
    const isReceiver = handleId?.startsWith("r:") ?? false;
    const name = handleId?.slice(2);
    const attribute = resolved.nodes[nodeId ?? ""]?.api.attributes.find(
      (one) => one.name === name && one.direction.startsWith("RECEIVER") === isReceiver,
    );
    return attribute ? { nodeId: Number(nodeId), name: attribute.name, kind: attribute.kind, isReceiver } : null;
  }

  const isValidConnection = (connection: Connection | LineEdge) => {
    const ends = connectionEnds(connection);
    return ends !== undefined && canJoin(resolved.nodes, session.store.content().edges, ends);
  };

  function onConnectEnd(event: MouseEvent | TouchEvent, state: FinalConnectionState): void {
    const { pulled } = ui.get();
    ui.set({ pulled: null });
    if (!pulled || state.isValid || viewOnly || reconnecting.isPulling()) return;
    const point = pointOf(event);
    const over = document.elementFromPoint(point.x, point.y);
    // A port that does not fit is a mistake, not a wish for another one.
    if (over?.closest(".react-flow__handle")) return;
    const card = over?.closest<HTMLElement>("[data-node-id]");
    const node = resolved.nodes[card?.dataset["nodeId"] ?? ""];
    if (node && node.metadata_id !== pulled.nodeId) {
      // Dropped on a card and not on a port: the first port that fits is meant.
      const attribute = node.locked ? undefined : fittingAttribute(pulled, node.api.attributes);
      const ends = attribute && endsBetween(pulled, node.metadata_id, attribute);
      if (ends && canJoin(resolved.nodes, session.store.content().edges, ends))
        void session.run({ type: "connect", ends });
    } else if (over?.closest(".react-flow__pane")) {
      actions.openPalette(point, pulled);
    }
  }

  function onDrop(event: DragEvent): void {
    const text = event.dataTransfer.getData(draggedItemType);
    if (!text || viewOnly) return;
    event.preventDefault();
    void actions.add(JSON.parse(text) as PaletteItem, actions.toCanvas({ x: event.clientX, y: event.clientY }));
  }

  return (
    <ReactFlow<AnyFlowNode, LineEdge>
      className="editor-canvas"
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      defaultViewport={viewport}
      minZoom={detail.least}
      maxZoom={detail.most}
      onlyRenderVisibleElements
      elevateNodesOnSelect
      nodesDraggable={!viewOnly}
      nodesConnectable={!viewOnly}
      edgesReconnectable={!viewOnly}
      nodeDragThreshold={2}
      connectionRadius={28}
      connectOnClick={false}
      snapToGrid
      snapGrid={snapGrid}
      panOnScroll
      zoomOnDoubleClick={false}
      deleteKeyCode={null}
      selectionKeyCode="Shift"
      multiSelectionKeyCode={severalKeys}
      disableKeyboardA11y
      onInit={(made) => stage.attach(made, pane)}
      onMoveStart={() => pane.classList.add("canvas-moving")}
      onMoveEnd={() => pane.classList.remove("canvas-moving")}
      onMove={(_event, moved) => {
        stage.keep(moved);
        setZoomIsFar(moved.zoom < detail.farBelow);
      }}
      onNodesChange={onNodesChange}
      onEdgesChange={onEdgesChange}
      onNodeDragStop={() => actions.drop()}
      onSelectionDragStop={() => actions.drop()}
      onConnect={(connection) => {
        const ends = connectionEnds(connection);
        if (ends) void session.run({ type: "connect", ends });
      }}
      onConnectStart={(_event, params) => ui.set({ pulled: portOf(params) })}
      onConnectEnd={onConnectEnd}
      isValidConnection={isValidConnection}
      onReconnectStart={reconnecting.start}
      onReconnect={reconnecting.drop}
      onReconnectEnd={(event, edge) => {
        reconnecting.end(edge, pointOf(event));
        ui.set({ pulled: null });
      }}
      onPaneClick={() => {
        ui.select([]);
        ui.set({ menu: null, palette: null });
      }}
      onPaneContextMenu={(event) => {
        event.preventDefault();
        ui.set({ menu: { on: "pane", x: event.clientX, y: event.clientY } });
      }}
      onNodeContextMenu={(event, node) => {
        if (node.type !== "card") return;
        event.preventDefault();
        const id = Number(node.id);
        if (!ui.get().selected.has(id)) ui.select([id]);
        ui.set({ menu: { on: "node", id, x: event.clientX, y: event.clientY } });
      }}
      onEdgeMouseEnter={(event, { id }) => ui.set({ hovered: { id, x: event.clientX, y: event.clientY } })}
      onEdgeMouseLeave={() => ui.set({ hovered: null })}
      onEdgeContextMenu={(event, edge) => {
        event.preventDefault();
        if (edge.data?.edge.implied === true) return;
        ui.select([], [edge.id]);
        ui.set({ menu: { on: "edge", id: edge.id, x: event.clientX, y: event.clientY } });
      }}
      onDoubleClick={(event) => {
        const isPane = (event.target as Element).classList.contains("react-flow__pane");
        if (isPane) actions.openPalette({ x: event.clientX, y: event.clientY });
      }}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes(draggedItemType)) event.preventDefault();
      }}
      onDrop={onDrop}
    >
      <DotGrid />
      {far ? <FarLayer /> : null}
      <CanvasCursors />
    </ReactFlow>
  );
}

function pointOf(event: MouseEvent | TouchEvent): Position {
  const point = "changedTouches" in event ? event.changedTouches[0] : event;
  return { x: point?.clientX ?? 0, y: point?.clientY ?? 0 };
}
