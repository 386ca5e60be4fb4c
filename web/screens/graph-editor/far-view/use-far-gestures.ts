import { useStoreApi } from "@xyflow/react";
import { useEffect, useRef, useState } from "react";

import type { Position } from "@miranda/contract/schemas/nodes.ts";

import { snap } from "../actions/arrange.ts";
import { type DrawnItem, drawnItems } from "../cards/collapsed-groups.ts";
import { useEditor } from "../editor-context.tsx";

interface Gesture {
  start: Position;
  /** Moves the selection, or selects by a box. */
  kind: "move" | "box";
  from: ReadonlyMap<number, Position>;
  /** The node where it began, or the first of a collapsed group. */
  node?: number | undefined;
}

export interface SelectionBox {
  from: Position;
  to: Position;
}

/**
 * Selecting, moving and box selection where there are no cards to click on. A press beside every node is left to the
 * pane, which pans.
 */
export function useFarGestures(): SelectionBox | null {
  const { ui, actions, session } = useEditor();
  const flow = useStoreApi();
  const [box, setBox] = useState<SelectionBox | null>(null);
  const current = useRef<{ gesture?: Gesture; box?: SelectionBox; endedAt: number }>({ endedAt: 0 });

  useEffect(() => {
    const element = flow.getState().domNode;
    const now = current.current;
    if (!element) return;
    const at = (event: MouseEvent) => actions.toCanvas({ x: event.clientX, y: event.clientY });
    const items = () => drawnItems(session.store.view().resolved);

    function onPointerDown(event: PointerEvent): void {
      if (event.button !== 0 || !isPane(event)) return;
      const start = at(event);
      const item = itemAt(items(), start);
      if (!item && !event.shiftKey) return;
      event.stopPropagation();
      if (item) {
        const chosen = ui.get().selected;
        const adds = event.shiftKey || event.ctrlKey || event.metaKey;
        if (!item.ids.every((id) => chosen.has(id))) ui.select(adds ? [...chosen, ...item.ids] : item.ids);
        const movable = session.store.view().viewOnly ? [] : actions.selectedNodes().filter((one) => !one.locked);
        const from = new Map(movable.map((one) => [one.metadata_id, one.position]));
        now.gesture = { start, kind: "move", from, node: item.ids[0] };
      } else {
        now.gesture = { start, kind: "box", from: new Map() };
      }
      addEventListener("pointermove", onPointerMove);
      addEventListener("pointerup", onPointerUp, { once: true });
    }

    function onPointerMove(event: PointerEvent): void {
      const { gesture } = now;
      if (!gesture) return;
      const point = at(event);
      if (gesture.kind === "box") {
        now.box = { from: gesture.start, to: point };
        return setBox(now.box);
      }
      const [dx, dy] = [snap(point.x - gesture.start.x), snap(point.y - gesture.start.y)];
      if (gesture.from.size === 0 || (dx === 0 && dy === 0 && !ui.get().drag)) return;
      ui.set({ drag: new Map(Array.from(gesture.from, ([id, { x, y }]) => [id, { x: x + dx, y: y + dy }])) });
    }

    function onPointerUp(): void {
      removeEventListener("pointermove", onPointerMove);
      if (now.gesture?.node !== undefined && !ui.get().drag) actions.uncover(now.gesture.node);
      if (now.gesture?.kind === "move") actions.drop();
      if (now.box)
        ui.select(
          items()
            .filter(isInside(now.box))
            .flatMap(({ ids }) => ids),
        );
      delete now.gesture;
      delete now.box;
      now.endedAt = performance.now();
      setBox(null);
    }

    /** Keeps a handled gesture from the pane, which would pan on the press and clear the selection on the click. */
    function keepFromPane(event: MouseEvent): void {
      if (now.gesture || (event.type === "click" && performance.now() - now.endedAt < 60)) event.stopPropagation();
    }

    function onDoubleClick(event: MouseEvent): void {
      const { ids = [] } = (isPane(event) && itemAt(items(), at(event))) || {};
      if (ids[0] === undefined) return;
      event.stopPropagation();
      actions.show(ids[0], true);
      ui.select(ids);
    }

    element.addEventListener("pointerdown", onPointerDown, true);
    element.addEventListener("mousedown", keepFromPane, true);
    element.addEventListener("click", keepFromPane, true);
    element.addEventListener("dblclick", onDoubleClick, true);
    return () => {
      element.removeEventListener("pointerdown", onPointerDown, true);
      element.removeEventListener("mousedown", keepFromPane, true);
      element.removeEventListener("click", keepFromPane, true);
      element.removeEventListener("dblclick", onDoubleClick, true);
      removeEventListener("pointermove", onPointerMove);
    };
  }, [flow, ui, actions, session]);

  return box;
}

function isPane(event: MouseEvent): boolean {
  return event.target instanceof Element && event.target.classList.contains("react-flow__pane");
}

function itemAt(items: readonly DrawnItem[], { x, y }: Position): DrawnItem | undefined {
  return items.findLast(
    ({ area }) => x >= area.x && y >= area.y && x <= area.x + area.width && y <= area.y + area.height,
  );
}

function isInside({ from, to }: SelectionBox): (item: DrawnItem) => boolean {
  const [left, right] = [Math.min(from.x, to.x), Math.max(from.x, to.x)];
  const [top, bottom] = [Math.min(from.y, to.y), Math.max(from.y, to.y)];
  return ({ area: { x, y } }) => x >= left && x <= right && y >= top && y <= bottom;
}
