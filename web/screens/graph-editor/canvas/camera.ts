import type { Node, Position } from "@miranda/contract/schemas/nodes.ts";

import type { GraphStore } from "../../../providers/graph/graph-store.ts";
import type { EditorStore } from "../editor-state.ts";
import { type Area, lookingAt, middleOf, pushInto, type Size } from "./free-area.ts";
import { groupCards } from "../cards/collapsed-groups.ts";
import { nodeLayout } from "@miranda/contract/graph/layout/card-layout.ts";
import { whenIdle } from "./when-idle.ts";
import { drawnBounds, type Stage, taking } from "./stage.ts";

export type Camera = ReturnType<typeof createCamera>;

interface Dependencies {
  store: GraphStore;
  ui: EditorStore;
  stage: Stage;
  reach: (id: number) => number;
}

/** A node of usual size around the origin. */
const nodeSized: Area = { x: -128, y: -100, width: 256, height: 200 };
/** The part of a very tall node that must be in view. */
const nameHeight = 64;
/** How long the view takes to a view of everything. */
const fitTime = 200;
/** A view that has just been fitted may still be moving this long on a slow machine. */
const movingMost = 2_000;
/** The zoom to which a single node is brought when a person looks for it. */
const nearZoom = 0.9;

/** The view of the canvas. It brings nodes to where no panel covers them. */
export function createCamera({ store, ui, stage, reach }: Dependencies) {
  const resolved = () => store.view().resolved;
  const nodes = () => resolved().nodes;
  const selectedNodes = (): Node[] => [...ui.get().selected].flatMap((id) => nodes()[id] ?? []);

  function frame(chosen: readonly Node[], maxZoom = 1, milliseconds = fitTime): void {
    if (chosen.length === 0) return;
    const bounds = drawnBounds(chosen, resolved(), reach);
    void stage.move(stage.fitting(bounds, maxZoom), taking(milliseconds));
  }

  /** Where a node is drawn: its own place, or that of the collapsed group around it. */
  function drawnArea(node: Node): Area {
    return groupCards(resolved()).get(node.metadata_id)?.area ?? { ...node.position, ...sizeOf(node) };
  }

  function onScreen(bounds: Area): Area {
    const { x, y, zoom } = stage.view();
    return {
      x: bounds.x * zoom + x,
      y: bounds.y * zoom + y,
      width: bounds.width * zoom,
      height: bounds.height * zoom,
    };
  }

  let fittingUntil = 0;
  /**
   * A panel has taken space from the canvas. If everything was in view, or was just moving there, it is again; the
   * same if the map or the tools in a corner would now cover what they did not cover before.
   */
  stage.whenShrunk((before) => {
    const all = Object.values(nodes());
    if (all.length === 0 || !stage.flow()) return;
    const shown = onScreen(drawnBounds(all, resolved()));
    const [now, covers] = [stage.area(), stage.covers()];
    const isHidden = (pane: Size, over: readonly Area[]) =>
      isOutside(shown, now) ? isOutside(shown, pane) : isCovered(shown, pane, over);
    if (!isHidden(now, covers)) return;
    const isMoving = performance.now() < fittingUntil;
    if (!isMoving && isHidden(before, coversBefore(covers, now, before))) return;
    frame(all);
    fittingUntil = performance.now() + movingMost;
  });

  function push(by: Position, milliseconds: number): void {
    const { x, y, zoom } = stage.view();
    void stage.move({ x: x + by.x, y: y + by.y, zoom }, taking(milliseconds));
  }

  /** A panel may open with the selection; its position is known after the next frame. */
  function afterNextFrame(work: () => void): void {
    requestAnimationFrame(work);
  }

  /** Keyboard focus follows the selection, unless the person is typing. */
  function focusSelected(): void {
    afterNextFrame(() => {
      const [only] = ui.get().selected;
      const isTyping = document.activeElement?.matches("input, textarea, select, [contenteditable=true]");
      if (only !== undefined && ui.get().selected.size === 1 && !isTyping)
        stage.card(groupCards(resolved()).get(only)?.flowId ?? String(only))?.focus({ preventScroll: true });
    });
  }

  return {
    nodes,
    selectedNodes,
    focusSelected,
    frame,

    /** The middle of the uncovered area. */
    centre(): Position {
      const pane = stage.area();
      const { x, y } = lookingAt(nodeSized, stage.view().zoom, pane, stage.covers());
      return stage.toCanvas({ x: pane.left + x, y: pane.top + y });
    },

    /** Moves the view so that these nodes and their group are in it and not below a panel. */
    keepInView(ids: readonly number[]): void {
      afterNextFrame(() => {
        const chosen = ids.flatMap((id) => nodes()[id] ?? []);
        if (!stage.flow() || chosen.length === 0) return;
        const [shown, pane, covers] = [onScreen(drawnBounds(chosen, resolved())), stage.area(), stage.covers()];
        if (!isCovered(shown, pane, covers)) return;
        const by = pushInto(shown, pane, covers);
        if (by.x === 0 && by.y === 0) return frame(chosen);
        push(by, 150);
      });
    },

    /** Moves a clicked node out from below the panel that opened, as far as there is space. */
    uncover(id: number): void {
      whenIdle(() => {
        const node = nodes()[id];
        const panel = stage.panel();
        if (!node || !panel || !ui.get().selected.has(id)) return;
        const shown = onScreen(drawnArea(node));
        if (!overlap(panel, shown)) return;
        const { zoom } = stage.view();
        const name = { ...shown, height: Math.min(shown.height, nameHeight * zoom) };
        for (const part of [shown, name]) {
          const by = pushInto(part, stage.area(), stage.covers());
          if (by.x !== 0 || by.y !== 0) return push(by, 250);
        }
      });
    },

    /** Where the middle of a node is drawn. */
    middleOf: (node: Node): Position => middleOf(drawnArea(node)),

    /** Selects a node and moves it to the middle, or the collapsed group around it. */
    show(id: number, zoomIn = false): void {
      const node = nodes()[id];
      if (!node) return;
      ui.select([id]);
      afterNextFrame(() =>
        stage.whenAttached(() => {
          const now = stage.view().zoom;
          const zoom = zoomIn ? Math.max(now, nearZoom) : now;
          const view = lookingAt(drawnArea(node), zoom, stage.area(), stage.covers());
          void stage.move(view, taking(200)).then(focusSelected);
        }),
      );
    },

    centreOn(point: Position): void {
      const spot = { ...point, width: 0, height: 0 };
      void stage.move(lookingAt(spot, stage.view().zoom, stage.area(), stage.covers()));
    },

    fit: () => frame(Object.values(nodes())),
    fitSelection: () =>
      afterNextFrame(() => frame(selectedNodes().length > 0 ? selectedNodes() : Object.values(nodes()), 1.25)),
    zoomIn: () => void stage.flow()?.zoomIn(taking(120)),
    zoomOut: () => void stage.flow()?.zoomOut(taking(120)),
    zoomTo: (zoom: number) => void stage.flow()?.zoomTo(zoom, taking(120)),
  };
}

function isCovered(shown: Area, pane: Size, covers: readonly Area[]): boolean {
  return isOutside(shown, pane) || covers.some((cover) => overlap(cover, shown));
}

/** Where the covers were when the canvas was larger: each keeps its distance to the nearest edges. */
function coversBefore(covers: readonly Area[], now: Size, before: Size): Area[] {
  return covers.map((cover) => {
    const middle = middleOf(cover);
    return {
      ...cover,
      x: middle.x > now.width / 2 ? cover.x + before.width - now.width : cover.x,
      y: middle.y > now.height / 2 ? cover.y + before.height - now.height : cover.y,
    };
  });
}

function isOutside(shown: Area, { width, height }: Size): boolean {
  return shown.x < 0 || shown.y < 0 || shown.x + shown.width > width || shown.y + shown.height > height;
}

function overlap(one: Area, other: Area): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

function sizeOf(node: Node): { width: number; height: number } {
  const { width, height } = nodeLayout(node);
  return { width, height };
}
