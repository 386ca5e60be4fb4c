import type { Connection, EdgeChange, FinalConnectionState, NodeChange, OnConnectStartParams } from "@xyflow/react";
import type { DragEvent, MouseEvent as ReactMouseEvent } from "react";

import type { Position } from "@miranda/contract/schemas/nodes.ts";

import type { Editor } from "../editor-context.tsx";
import { createDragEvents } from "./drag-events.ts";
import { groupPrefix } from "../cards/collapsed-groups.ts";
import type { AnyFlowNode, FlowModel, LineEdge } from "./flow-model.ts";
import { canJoin, endsBetween, fittingAttribute, type PortRef } from "../edges/joining.ts";
import { draggedItemType, readDraggedItem } from "../library/palette-items.ts";
import { connectionEnds, createReconnecting } from "../edges/reconnecting.ts";

/**
 * The event handlers of the canvas. Created once: for each new handler xyflow goes through all nodes and edges again.
 */
export function createCanvasEvents({ session, ui, actions }: Editor, model: FlowModel) {
  const reconnecting = createReconnecting(session);
  const nodesNow = () => session.store.view().resolved.nodes;
  const isViewOnly = () => session.store.view().viewOnly;

  /** A group's frame has no position of its own: its members move, and it follows. */
  function moveGroup(flowId: string, to: Position, moved: Map<number, Position>): void {
    const group = session.store.content().groups[flowId.slice(groupPrefix.length)];
    const from = model.placeOf(flowId);
    if (!group || !from) return;
    for (const id of group.metadata_ids) {
      const node = nodesNow()[id];
      if (!node || node.locked) continue;
      const at = moved.get(id) ?? node.position;
      moved.set(id, { x: at.x + to.x - from.x, y: at.y + to.y - from.y });
    }
  }

  /** The node with this id on the canvas, or all members of a group. */
  function nodesOf(flowId: string): readonly number[] {
    if (!flowId.startsWith(groupPrefix)) return [Number(flowId)];
    return session.store.content().groups[flowId.slice(groupPrefix.length)]?.metadata_ids ?? [];
  }

  function portOf({ nodeId, handleId }: Pick<OnConnectStartParams, "nodeId" | "handleId">): PortRef | null {
    const isReceiver = handleId?.startsWith("r:") ?? false;
    const name = handleId?.slice(2);
    const attribute = nodesNow()[nodeId ?? ""]?.api.attributes.find(
      (one) => one.name === name && one.direction.startsWith("RECEIVER") === isReceiver,
    );
    return attribute ? { nodeId: Number(nodeId), name: attribute.name, kind: attribute.kind, isReceiver } : null;
  }

  return {
    onNodesChange(changes: NodeChange<AnyFlowNode>[]): void {
      const moved = new Map(ui.get().drag);
      const chosen = new Set(ui.get().selected);
      let [hasMoved, hasChosen] = [false, false];
      for (const change of changes) {
        if (change.type === "position" && change.position && change.dragging === true) {
          hasMoved = true;
          if (change.id.startsWith(groupPrefix)) moveGroup(change.id, change.position, moved);
          else moved.set(Number(change.id), change.position);
        } else if (change.type === "select") {
          hasChosen = true;
          for (const id of nodesOf(change.id)) {
            if (change.selected) chosen.add(id);
            else chosen.delete(id);
          }
        }
      }
      if (hasMoved) ui.set({ drag: moved });
      if (hasChosen) ui.set({ selected: chosen });
    },

    onEdgesChange(changes: EdgeChange<LineEdge>[]): void {
      const chosen = new Set(ui.get().selectedEdges);
      for (const change of changes) {
        if (change.type !== "select") continue;
        if (change.selected) chosen.add(change.id);
        else chosen.delete(change.id);
      }
      ui.set({ selectedEdges: chosen });
    },

    onNodeClick(_event: ReactMouseEvent, node: AnyFlowNode): void {
      if (node.type === "card") actions.uncover(Number(node.id));
    },
    ...createDragEvents({ session, actions }),

    isValidConnection(connection: Connection | LineEdge): boolean {
      const ends = connectionEnds(connection);
      return ends !== undefined && canJoin(nodesNow(), session.store.content().edges, ends);
    },

    onConnect(connection: Connection): void {
      const ends = connectionEnds(connection);
      if (ends) void session.run({ type: "connect", ends });
    },

    onConnectStart: (_event: MouseEvent | TouchEvent, params: OnConnectStartParams) =>
      ui.set({ pulled: portOf(params) }),

    onConnectEnd(event: MouseEvent | TouchEvent, state: FinalConnectionState): void {
      const { pulled } = ui.get();
      ui.set({ pulled: null });
      if (!pulled || state.isValid || isViewOnly() || reconnecting.isPulling()) return;
      const point = pointOf(event);
      const over = document.elementFromPoint(point.x, point.y);
      // A drop on a port that does not fit is a mistake, not a request for another port.
      if (over?.closest(".react-flow__handle")) return;
      const card = over?.closest<HTMLElement>("[data-node-id]");
      const node = nodesNow()[card?.dataset["nodeId"] ?? ""];
      if (node && node.metadata_id !== pulled.nodeId) {
        // Dropped on a card beside its ports: use the first port that fits.
        const attribute = node.locked ? undefined : fittingAttribute(pulled, node.api.attributes);
        const ends = attribute && endsBetween(pulled, node.metadata_id, attribute);
        if (ends && canJoin(nodesNow(), session.store.content().edges, ends))
          void session.run({ type: "connect", ends });
      } else if (over?.closest(".react-flow__pane")) {
        actions.openPalette(point, pulled);
      }
    },

    onReconnectStart: reconnecting.start,
    onReconnect: reconnecting.drop,
    onReconnectEnd(event: MouseEvent | TouchEvent, edge: LineEdge): void {
      reconnecting.end(edge, pointOf(event));
      ui.set({ pulled: null });
    },

    // One box, then fingers move the view again.
    onSelectionEnd: () => ui.set({ boxing: false }),
    onPaneClick(): void {
      ui.select([]);
      ui.set({ menu: null, palette: null });
    },
    onPaneContextMenu(event: MouseEvent | ReactMouseEvent): void {
      event.preventDefault();
      ui.set({ menu: { on: "pane", x: event.clientX, y: event.clientY } });
    },
    onNodeContextMenu(event: ReactMouseEvent, node: AnyFlowNode): void {
      if (node.type !== "card") return;
      event.preventDefault();
      const id = Number(node.id);
      if (!ui.get().selected.has(id)) ui.select([id]);
      ui.set({ menu: { on: "node", id, x: event.clientX, y: event.clientY } });
    },
    onEdgeMouseEnter: (event: ReactMouseEvent, { id }: LineEdge) =>
      ui.set({ hovered: { id, x: event.clientX, y: event.clientY } }),
    onEdgeMouseLeave: () => ui.set({ hovered: null }),
    onEdgeContextMenu(event: ReactMouseEvent, edge: LineEdge): void {
      event.preventDefault();
      if (edge.data?.edge.implied === true) return;
      ui.select([], [edge.id]);
      ui.set({ menu: { on: "edge", id: edge.id, x: event.clientX, y: event.clientY } });
    },
    onNodeDoubleClick(event: ReactMouseEvent, node: AnyFlowNode): void {
      // Fields and previews handle their own double clicks.
      const isInside =
        event.target instanceof Element &&
        event.target.closest("input, textarea, select, button, a, .nodrag, .node-control") !== null;
      if (node.type === "card" && !isInside) actions.openCode(Number(node.id));
    },
    onDoubleClick(event: ReactMouseEvent): void {
      const isPane = event.target instanceof Element && event.target.classList.contains("react-flow__pane");
      if (isPane) actions.openPalette({ x: event.clientX, y: event.clientY });
    },

    onDragOver(event: DragEvent): void {
      const { types } = event.dataTransfer;
      // Otherwise the browser would open a dropped file instead of this page.
      if (types.includes(draggedItemType) || types.includes("Files")) event.preventDefault();
    },
    onDrop(event: DragEvent): void {
      const files = [...event.dataTransfer.files];
      // A field of a node takes its files itself.
      if (files.length > 0 && !event.defaultPrevented) {
        event.preventDefault();
        void actions.takeFiles(files, actions.toCanvas({ x: event.clientX, y: event.clientY }));
        return;
      }
      const text = event.dataTransfer.getData(draggedItemType);
      if (!text || isViewOnly()) return;
      event.preventDefault();
      const item = readDraggedItem(text);
      if (item) void actions.add(item, actions.toCanvas({ x: event.clientX, y: event.clientY }));
    },
  };
}

function pointOf(event: MouseEvent | TouchEvent): Position {
  const point = "changedTouches" in event ? event.changedTouches[0] : event;
  return { x: point?.clientX ?? 0, y: point?.clientY ?? 0 };
}
