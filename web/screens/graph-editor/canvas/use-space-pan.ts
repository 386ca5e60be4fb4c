import { useEffect } from "react";

import type { Stage } from "./stage.ts";

const holding = "canvas-panning";
const ownKeys = "input, textarea, select, a, summary, [contenteditable=true], [role=menuitem], [role=option]";

/** While Space is held, dragging moves the view, whatever is under the pointer. */
export function useSpacePan(stage: Stage, pane: HTMLElement): void {
  useEffect(() => {
    // The view and the pointer at the start: a move may come before the view of the one before it is drawn.
    let start: { x: number; y: number; id: number; view: ReturnType<Stage["view"]> } | undefined;
    /** A button that was clicked keeps the focus, but Space does not mean it. */
    let clicked: Element | null = null;
    const isMeantButton = (target: Element): boolean => {
      const button = target.closest("button");
      return button !== null && button !== clicked;
    };
    const onClick = ({ target }: MouseEvent) => {
      clicked = target instanceof Element ? target.closest("button") : null;
    };
    const isHeld = () => pane.classList.contains(holding);

    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === "Tab") clicked = null;
      if (event.key !== " ") return;
      const { target } = event;
      if (target instanceof Element && (target.closest(ownKeys) || isMeantButton(target))) return;
      if (document.querySelector("[role=dialog][data-state=open]")) return;
      pane.classList.add(holding);
    };
    /** Space selects a focused node, and is part of a note's text. Elsewhere the page would scroll, or a button be pressed. */
    const onKeyDownLast = (event: KeyboardEvent) => {
      const { key, target, defaultPrevented } = event;
      if (key !== " " || defaultPrevented || !isHeld()) return;
      if (!(target instanceof Element && target.closest(".react-flow__node, .react-flow__edge")))
        event.preventDefault();
    };
    const release = () => {
      pane.classList.remove(holding);
      start = undefined;
    };
    const onKeyUp = (event: KeyboardEvent) => {
      if (event.key === " ") release();
    };
    const onDown = (event: PointerEvent) => {
      if (!isHeld() || event.button !== 0) return;
      event.preventDefault();
      event.stopPropagation();
      start = { x: event.clientX, y: event.clientY, id: event.pointerId, view: stage.view() };
      pane.setPointerCapture(event.pointerId);
    };
    /** Dragging a node and drawing a selection box both begin with these events. */
    const swallow = (event: Event) => {
      if (isHeld()) event.stopPropagation();
    };
    const onMove = (event: PointerEvent) => {
      if (start?.id !== event.pointerId) return;
      event.stopPropagation();
      const { x, y, zoom } = start.view;
      void stage.move({ x: x + event.clientX - start.x, y: y + event.clientY - start.y, zoom });
    };
    const onUp = (event: PointerEvent) => {
      if (start?.id === event.pointerId) start = undefined;
    };

    // Before the keys of the editor, which select a focused node.
    addEventListener("keydown", onKeyDown, true);
    addEventListener("keydown", onKeyDownLast);
    addEventListener("keyup", onKeyUp);
    addEventListener("blur", release);
    addEventListener("pointerdown", onClick, true);
    pane.addEventListener("pointerdown", onDown, true);
    pane.addEventListener("pointermove", onMove, true);
    pane.addEventListener("pointerup", onUp, true);
    for (const name of ["mousedown", "touchstart", "click"]) pane.addEventListener(name, swallow, true);
    return () => {
      release();
      removeEventListener("keydown", onKeyDown, true);
      removeEventListener("keydown", onKeyDownLast);
      removeEventListener("keyup", onKeyUp);
      removeEventListener("blur", release);
      removeEventListener("pointerdown", onClick, true);
      pane.removeEventListener("pointerdown", onDown, true);
      pane.removeEventListener("pointermove", onMove, true);
      pane.removeEventListener("pointerup", onUp, true);
      for (const name of ["mousedown", "touchstart", "click"]) pane.removeEventListener(name, swallow, true);
    };
  }, [stage, pane]);
}
