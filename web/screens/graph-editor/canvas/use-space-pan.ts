import { useEffect } from "react";

import type { Stage } from "./stage.ts";

const holding = "canvas-panning";
const ownKeys = "input, textarea, select, button, a, summary, [contenteditable=true], [role=menuitem], [role=option]";

/** While Space is held, dragging moves the view, whatever is under the pointer. */
export function useSpacePan(stage: Stage, pane: HTMLElement): void {
  useEffect(() => {
    let last: { x: number; y: number; id: number } | undefined;
    const isHeld = () => pane.classList.contains(holding);

    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== " " || event.defaultPrevented) return;
      const { target } = event;
      if (target instanceof Element && target.closest(ownKeys)) return;
      if (document.querySelector("[role=dialog][data-state=open]")) return;
      pane.classList.add(holding);
      // Space selects a focused node. Elsewhere the page would scroll.
      if (!(target instanceof Element && target.closest(".react-flow__node, .react-flow__edge")))
        event.preventDefault();
    };
    const release = () => {
      pane.classList.remove(holding);
      last = undefined;
    };
    const onKeyUp = (event: KeyboardEvent) => {
      if (event.key === " ") release();
    };
    const onDown = (event: PointerEvent) => {
      if (!isHeld() || event.button !== 0) return;
      event.preventDefault();
      event.stopPropagation();
      last = { x: event.clientX, y: event.clientY, id: event.pointerId };
      pane.setPointerCapture(event.pointerId);
    };
    /** Dragging a node and drawing a selection box both begin with these events. */
    const swallow = (event: Event) => {
      if (isHeld()) event.stopPropagation();
    };
    const onMove = (event: PointerEvent) => {
      if (last?.id !== event.pointerId) return;
      event.stopPropagation();
      const { x, y, zoom } = stage.view();
      void stage.move({ x: x + event.clientX - last.x, y: y + event.clientY - last.y, zoom });
      last = { x: event.clientX, y: event.clientY, id: event.pointerId };
    };
    const onUp = (event: PointerEvent) => {
      if (last?.id === event.pointerId) last = undefined;
    };

    addEventListener("keydown", onKeyDown);
    addEventListener("keyup", onKeyUp);
    addEventListener("blur", release);
    pane.addEventListener("pointerdown", onDown, true);
    pane.addEventListener("pointermove", onMove, true);
    pane.addEventListener("pointerup", onUp, true);
    for (const name of ["mousedown", "touchstart", "click"]) pane.addEventListener(name, swallow, true);
    return () => {
      release();
      removeEventListener("keydown", onKeyDown);
      removeEventListener("keyup", onKeyUp);
      removeEventListener("blur", release);
      pane.removeEventListener("pointerdown", onDown, true);
      pane.removeEventListener("pointermove", onMove, true);
      pane.removeEventListener("pointerup", onUp, true);
      for (const name of ["mousedown", "touchstart", "click"]) pane.removeEventListener(name, swallow, true);
    };
  }, [stage, pane]);
}
