import { type KeyboardEvent, type PointerEvent, type RefObject, useRef } from "react";

import { classes } from "../classes.ts";

const step = 24;

interface PulledEdgeProps {
  label: string;
  /** The panel to which this edge belongs, and which of its edges it is. */
  panel: RefObject<HTMLElement | null>;
  edge: "left" | "top";
  size: number;
  /** The allowed sizes. */
  bounds: () => { min: number; max: number };
  onSize: (size: number) => void;
}

/** The edge of a panel, to resize it by pointer or arrow keys. */
export function PulledEdge({ label, panel, edge, size, bounds, onSize }: PulledEdgeProps) {
  const isTop = edge === "top";
  const wanted = useRef(size);
  function bounded(size: number): number {
    const { min, max } = bounds();
    return Math.round(Math.max(min, Math.min(size, max)));
  }
  function pull(event: PointerEvent<HTMLDivElement>): void {
    const { pointerId, currentTarget: own } = event;
    const box = panel.current?.getBoundingClientRect();
    if (!box) return;
    event.preventDefault();
    own.setPointerCapture(pointerId);
    wanted.current = size;
    const move = ({ clientX, clientY }: globalThis.PointerEvent) => {
      wanted.current = bounded(isTop ? box.bottom - clientY : box.right - clientX);
      // Set the style directly: React would render the whole panel for every pixel.
      if (panel.current) panel.current.style[isTop ? "height" : "width"] = `${wanted.current}px`;
    };
    const end = () => {
      own.removeEventListener("pointermove", move);
      onSize(wanted.current);
    };
    own.addEventListener("pointermove", move);
    own.addEventListener("lostpointercapture", end, { once: true });
  }
  function press(event: KeyboardEvent): void {
    const [larger, smaller] = isTop ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
    if (event.key !== larger && event.key !== smaller) return;
    event.preventDefault();
    onSize(bounded(size + (event.key === larger ? step : -step)));
  }
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- <hr> cannot be dragged
      role="separator"
      aria-label={label}
      aria-orientation={isTop ? "horizontal" : "vertical"}
      aria-valuenow={size}
      tabIndex={0}
      onPointerDown={pull}
      onKeyDown={press}
      className={classes(
        "absolute z-20 touch-none hover:bg-accent/30 focus-visible:bg-accent/40",
        isTop ? "inset-x-0 -top-1 h-2 cursor-row-resize" : "inset-y-0 -left-1 w-2 cursor-col-resize",
      )}
    />
  );
}
