import type { ReactFlowInstance, Viewport } from "@xyflow/react";

import type { Node, Position } from "@miranda/contract/schemas/nodes.ts";

import { readStored, writeStored } from "../../storage.ts";
import { boundsOf, boxOf } from "./arrange.ts";
import type { AnyFlowNode, LineEdge } from "./flow-model.ts";
import { detail } from "./level-of-detail.ts";

type Flow = ReactFlowInstance<AnyFlowNode, LineEdge>;
type Nodes = Readonly<Record<string, Node>>;

export type Stage = ReturnType<typeof createStage>;

/** The tools are at the top, and a group has its name above its nodes. */
export const room = { x: 120, y: 190, down: 26 };
const keepAfter = 500;

/** The canvas on the screen: where it is, what of the graph it shows, and where this person left it last time. */
export function createStage(graphId: string) {
  const key = `viewport:${graphId}`;
  let flow: Flow | undefined;
  let pane: Element | undefined;
  let keeping: ReturnType<typeof setTimeout> | undefined;

  return {
    attach(made: Flow, element: Element): void {
      flow = made;
      pane = element;
    },
    flow: () => flow,
    area: () => pane?.getBoundingClientRect() ?? new DOMRect(0, 0, innerWidth, innerHeight),
    toCanvas: (point: Position): Position => flow?.screenToFlowPosition(point, { snapToGrid: false }) ?? point,

    /** Where this person left it, and the first time so that all of it is in view. */
    initial(nodes: Nodes, { width, height }: { width: number; height: number }): Viewport {
      return readViewport(key) ?? fitting(nodes, width, height);
    },
    keep(viewport: Viewport): void {
      clearTimeout(keeping);
      keeping = setTimeout(() => writeStored(key, JSON.stringify(viewport)), keepAfter);
    },
  };
}

function readViewport(key: string): Viewport | undefined {
  try {
    const { x, y, zoom } = JSON.parse(readStored(key) ?? "null") as Viewport;
    const isSound = [x, y, zoom].every(Number.isFinite) && zoom >= detail.least && zoom <= detail.most;
    return isSound ? { x, y, zoom } : undefined;
  } catch {
    return undefined;
  }
}

function fitting(nodes: Nodes, width: number, height: number): Viewport {
  const all = Object.values(nodes);
  if (all.length === 0) return { x: width / 2, y: height / 3, zoom: 1 };
  const bounds = boundsOf(all.map(boxOf));
  const fit = Math.min((width - room.x) / bounds.width, (height - room.y) / bounds.height, 1);
  const zoom = Math.max(fit, detail.least);
  return {
    x: width / 2 - (bounds.x + bounds.width / 2) * zoom,
    y: height / 2 + room.down - (bounds.y + bounds.height / 2) * zoom,
    zoom,
  };
}
