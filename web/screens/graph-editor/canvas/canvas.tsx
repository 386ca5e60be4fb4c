import { ReactFlow, useStore, type Viewport } from "@xyflow/react";
import { memo, useMemo, useState } from "react";

import { grid } from "../actions/arrange.ts";
import { CanvasCursors } from "./canvas-cursors.tsx";
import { createCanvasEvents } from "./canvas-events.ts";
import { DotGrid } from "./dot-grid.tsx";
import { EdgeLine } from "../edges/edge-line.tsx";
import { useEditor, useUi, useView } from "../editor-context.tsx";
import { FarLayer } from "../far-view/far-layer.tsx";
import { type AnyFlowNode, createFlowModel, type LineEdge } from "./flow-model.ts";
import { detail, isFar } from "./level-of-detail.ts";
import { NodeCard } from "../cards/node-card.tsx";
import { GhostCard, GroupFrame } from "../cards/small-nodes.tsx";
import type { Stage } from "./stage.ts";
import { useSpacePan } from "./use-space-pan.ts";

const nodeTypes = { card: NodeCard, ghost: GhostCard, frame: GroupFrame, collapsed: GroupFrame };
const edgeTypes = { line: EdgeLine };
const noNodes: AnyFlowNode[] = [];
const noEdges: LineEdge[] = [];
const snapGrid: [number, number] = [grid, grid];
const severalKeys = ["Meta", "Control", "Shift"];

export const Canvas = memo(function Canvas({ stage, pane }: { stage: Stage; pane: HTMLElement }) {
  const editor = useEditor();
  const { resolved, ghosts, viewOnly } = useView((view) => view);
  const selected = useUi((state) => state.selected);
  const selectedEdges = useUi((state) => state.selectedEdges);
  const drag = useUi((state) => state.drag);
  const boxing = useUi((state) => state.boxing);
  const [model] = useState(createFlowModel);
  const [viewport] = useState(() => stage.initial(resolved, pane));
  const [zoomIsFar, setZoomIsFar] = useState(viewport.zoom < detail.farBelow);
  const [events] = useState(() => ({
    ...createCanvasEvents(editor, model),
    onInit: (made: Parameters<Stage["attach"]>[0]) => stage.attach(made, pane),
    onMoveStart: () => pane.classList.add("canvas-moving"),
    onMoveEnd: () => pane.classList.remove("canvas-moving"),
    onMove: (_event: MouseEvent | TouchEvent | null, moved: Viewport) => {
      stage.keep(moved);
      setZoomIsFar(moved.zoom < detail.farBelow);
    },
  }));
  useSpacePan(stage, pane);
  // xyflow goes through all nodes for each setting that changes, so it gets the nodes after its settings.
  const isSet = useStore((flow) => flow.snapToGrid);

  const far = zoomIsFar && isFar(0, Object.keys(resolved.nodes).length);
  const isBare = far || !isSet;
  const nodes = useMemo(
    () => (isBare ? noNodes : model.nodes({ resolved, ghosts, selected, selectedEdges, drag, viewOnly })),
    [model, isBare, resolved, ghosts, selected, selectedEdges, drag, viewOnly],
  );
  const edges = useMemo(
    () => (isBare ? noEdges : model.edges({ resolved, selectedEdges, viewOnly })),
    [model, isBare, resolved, selectedEdges, viewOnly],
  );

  return (
    <ReactFlow<AnyFlowNode, LineEdge>
      className="editor-canvas"
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      defaultViewport={viewport}
      minZoom={detail.min}
      maxZoom={detail.max}
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
      selectionOnDrag={boxing}
      panOnDrag={!boxing}
      // Space is handled by useSpacePan: xyflow does not pan over nodes.
      panActivationKeyCode={null}
      multiSelectionKeyCode={severalKeys}
      disableKeyboardA11y
      {...events}
    >
      <DotGrid />
      {far ? <FarLayer /> : null}
      <CanvasCursors />
    </ReactFlow>
  );
});
