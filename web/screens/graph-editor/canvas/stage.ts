import type { ReactFlowInstance, Viewport } from "@xyflow/react";

import type { ResolvedContent } from "@miranda/contract/graph/resolution/resolve-content.ts";
import type { Node, Position } from "@miranda/contract/schemas/nodes.ts";

import { readStoredRecord, writeStored } from "../../../storage.ts";
import { boundsOf, boxOf } from "../actions/arrange.ts";
import type { AnyFlowNode, LineEdge } from "./flow-model.ts";
import { type Area, fitting, type Size } from "./free-area.ts";
import { groupCards } from "../cards/collapsed-groups.ts";
import { frameOf } from "../cards/group-frame.ts";
import { detail } from "./level-of-detail.ts";

type Flow = ReactFlowInstance<AnyFlowNode, LineEdge>;

export type Stage = ReturnType<typeof createStage>;

const keepAfter = 500;

/**
 * How the view moves to another place. In a straight line: the smooth path of the library ends at NaN when two
 * views have almost the same centre and the second shows more.
 */
export function taking(milliseconds: number): { duration: number; interpolate: "linear" } {
  const duration = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : milliseconds;
  return { duration, interpolate: "linear" };
}

/**
 * The canvas on the screen: its position, its viewport, and where this person left it last time. Without a place it
 * always begins with a view of everything.
 */
export function createStage(place: string | null) {
  const key = place === null ? null : `viewport:${place}`;
  let flow: Flow | undefined;
  let pane: Element | undefined;
  let keeping: ReturnType<typeof setTimeout> | undefined;
  let waiting: ((made: Flow) => void)[] = [];
  const watchers = new Set<() => void>();
  let onShrink: ((before: Size) => void) | undefined;

  /** Tells when a panel has taken space from the canvas. */
  function watchSize(element: Element): void {
    let before: Size = areaOf(element);
    new ResizeObserver(() => {
      const now = areaOf(element);
      if (now.width < before.width || now.height < before.height) onShrink?.(before);
      before = now;
    }).observe(element);
  }

  return {
    attach(made: Flow, element: Element): void {
      flow = made;
      if (pane !== element) watchSize(element);
      pane = element;
      for (const work of waiting) work(made);
      waiting = [];
    },
    /** Runs it now, or as soon as the canvas is drawn. */
    whenAttached(work: (made: Flow) => void): void {
      if (flow) work(flow);
      else waiting.push(work);
    },
    /** Called with the size that the canvas had before. */
    whenShrunk(work: (before: Size) => void): void {
      onShrink = work;
    },
    flow: () => flow,
    view: (): Viewport => flow?.getViewport() ?? { x: 0, y: 0, zoom: 1 },
    /** Moves the view, at once unless a duration is given. */
    move: async (to: Viewport, options = taking(0)): Promise<boolean> =>
      (await flow?.setViewport(to, options)) ?? false,
    area: () => areaOf(pane),
    /** The drawn card with this id on the canvas, if it is drawn. */
    card: (id: string): HTMLElement | null | undefined =>
      pane?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`),
    covers: () => coversOf(pane),
    /** The inspector's area, when it is open. */
    panel: (): Area | undefined => coversOf(pane, "selection")[0],
    /** The viewport that shows all of this with no panel over it. */
    fitting: (bounds: Area, max: number): Viewport =>
      fitting(bounds, areaOf(pane), coversOf(pane), { min: detail.min, max }),
    toCanvas: (point: Position): Position => flow?.screenToFlowPosition(point, { snapToGrid: false }) ?? point,

    /** Where this person left it; the first time, a view of everything. */
    initial(resolved: ResolvedContent, element: Element): Viewport {
      const known = key === null ? undefined : readViewport(key);
      if (known) return known;
      const { width, height } = areaOf(element);
      const all = Object.values(resolved.nodes);
      if (all.length === 0) return { x: width / 2, y: height / 3, zoom: 1 };
      const zooms = { min: detail.min, max: 1 };
      return fitting(drawnBounds(all, resolved), { width, height }, coversOf(element), zooms);
    },
    /** Called whenever the view moves. */
    onMove(watcher: () => void): () => void {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    keep(viewport: Viewport): void {
      for (const watcher of watchers) watcher();
      if (key === null) return;
      clearTimeout(keeping);
      keeping = setTimeout(() => writeStored(key, JSON.stringify(viewport)), keepAfter);
    },
  };
}

function readViewport(key: string): Viewport | undefined {
  const { x, y, zoom } = readStoredRecord(key);
  if (!isFiniteNumber(x) || !isFiniteNumber(y) || !isFiniteNumber(zoom)) return undefined;
  return zoom >= detail.min && zoom <= detail.max ? { x, y, zoom } : undefined;
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
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
 * The bounds of these nodes as drawn, with the previews below them, the frames of open groups that they fill, and the
 * cards of the collapsed groups that hide them.
 */
export function drawnBounds(
  nodes: readonly Node[],
  resolved: ResolvedContent,
  reach: (id: number) => number = () => 0,
): Area {
  const cards = groupCards(resolved);
  const boxes = new Map(nodes.map((node) => [node.metadata_id, boxOf(node)]));
  const frames = Object.values(resolved.content.groups).flatMap((group) => {
    const members = group.collapsed ? [] : group.metadata_ids.flatMap((id) => boxes.get(id) ?? []);
    return members.length > 0 && members.length === group.metadata_ids.length ? [frameOf(group, members)] : [];
  });
  const drawn = Array.from(boxes.values(), (box) => {
    const card = cards.get(box.id);
    return card?.area ?? { ...box, height: box.height + reach(box.id) };
  });
  return boundsOf([...drawn, ...frames]);
}
