import type { ReactFlowInstance, Viewport } from "@xyflow/react";

import type { Node, NodeGroup, Position } from "@miranda/contract/schemas/nodes.ts";

import { readStored, writeStored } from "../../../storage.ts";
import { boundsOf, boxOf } from "../actions/arrange.ts";
import type { AnyFlowNode, LineEdge } from "./flow-model.ts";
import { type Area, fitting } from "./free-area.ts";
import { frameOf } from "../cards/group-frame.ts";
import { detail } from "./level-of-detail.ts";

type Flow = ReactFlowInstance<AnyFlowNode, LineEdge>;
type Groups = Readonly<Record<string, NodeGroup>>;

export type Stage = ReturnType<typeof createStage>;

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
    area: () => areaOf(pane),
    /** A node where it is drawn, if it is. */
    card: (id: number): HTMLElement | null | undefined =>
      pane?.querySelector<HTMLElement>(`.react-flow__node[data-id="${id}"]`),
    covers: () => coversOf(pane),
    /** The panel of what is selected, where it is open. */
    panel: (): Area | undefined => coversOf(pane, "selection")[0],
    /** How to look at all of that without a panel over any of it. */
    fitting: (bounds: Area, most: number): Viewport =>
      fitting(bounds, areaOf(pane), coversOf(pane), { least: detail.least, most }),
    toCanvas: (point: Position): Position => flow?.screenToFlowPosition(point, { snapToGrid: false }) ?? point,

    /** Where this person left it, and the first time so that all of it is in view. */
    initial(nodes: Readonly<Record<string, Node>>, groups: Groups, element: Element): Viewport {
      const known = readViewport(key);
      if (known) return known;
      const { width, height } = areaOf(element);
      const all = Object.values(nodes);
      if (all.length === 0) return { x: width / 2, y: height / 3, zoom: 1 };
      const zooms = { least: detail.least, most: 1 };
      return fitting(drawnBounds(all, groups), { width, height }, coversOf(element), zooms);
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

function areaOf(pane: Element | undefined): DOMRect {
  return pane?.getBoundingClientRect() ?? new DOMRect(0, 0, innerWidth, innerHeight);
}

/** What lies over the canvas now: tools and panels, wherever they are on this screen. */
function coversOf(pane: Element | undefined, kind?: "selection"): Area[] {
  if (!pane) return [];
  const { left, top } = pane.getBoundingClientRect();
  return Array.from(pane.querySelectorAll(kind ? `[data-covers="${kind}"]` : "[data-covers]"), (element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x: x - left, y: y - top, width, height };
  }).filter(({ width, height }) => width > 0 && height > 0);
}

/**
 * Where these nodes are drawn, with what hangs below them, the frames of groups that are among them and the cards that
 * stand for others.
 */
export function drawnBounds(nodes: readonly Node[], groups: Groups, reach: (id: number) => number = () => 0): Area {
  const boxes = new Map(
    nodes.map((node) => {
      const box = boxOf(node);
      return [box.id, { ...box, height: box.height + reach(box.id) }];
    }),
  );
  const frames: Area[] = [];
  for (const group of Object.values(groups)) {
    const members = group.metadata_ids.flatMap((id) => boxes.get(id) ?? []);
    if (members.length === 0 || (!group.collapsed && members.length < group.metadata_ids.length)) continue;
    frames.push(frameOf(group, members));
    if (group.collapsed) for (const { id } of members) boxes.delete(id);
  }
  return boundsOf([...boxes.values(), ...frames]);
}
