import "@xyflow/react/dist/style.css";

import { Position, ReactFlow } from "@xyflow/react";
import { createElement } from "react";
import { createRoot } from "react-dom/client";

// A minimal page that shows a graph: xyflow's own nodes and edges, and only the visible ones. Sizes and handles are given,
// so that xyflow need not measure them first.

const width = 256;
const height = 112;
const size = 6;

const { nodes, edges } = await (await fetch("graph.json")).json();
const viewport = JSON.parse(new URLSearchParams(location.search).get("viewport") ?? '{"x":0,"y":0,"zoom":1}');

const flowNodes = Object.values(nodes).map((node) => ({
  id: String(node.metadata_id),
  position: node.position,
  data: { label: node.name },
  width,
  height,
  measured: { width, height },
  sourcePosition: Position.Right,
  targetPosition: Position.Left,
  handles: [
    {
      id: null,
      type: "target",
      position: Position.Left,
      x: -size / 2,
      y: (height - size) / 2,
      width: size,
      height: size,
    },
    {
      id: null,
      type: "source",
      position: Position.Right,
      x: width - size / 2,
      y: (height - size) / 2,
      width: size,
      height: size,
    },
  ],
}));
const flowEdges = edges.map((edge) => ({
  id: `${edge.source_wob_key} ${edge.destination_wob_key} ${edge.destination_receiver_key}`,
  source: String(edge.source_wob_key),
  target: String(edge.destination_wob_key),
}));

createRoot(document.getElementById("root")).render(
  createElement(ReactFlow, {
    defaultNodes: flowNodes,
    defaultEdges: flowEdges,
    defaultViewport: viewport,
    minZoom: 0.02,
    onlyRenderVisibleElements: true,
    panOnScroll: true,
  }),
);
