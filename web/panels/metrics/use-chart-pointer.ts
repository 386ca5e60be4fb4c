import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react";

import { nearest, type Range, type Scale } from "./chart-scale.ts";

interface Wanted {
  scale: Scale;
  range: Range;
  /** What the arrow keys step through. */
  xs: readonly number[];
  pointed: number | undefined;
  onPoint: (x: number | undefined) => void;
  onZoom: (range: Range | undefined) => void;
}

/** Below this many pixels a drag is a click. */
const smallestDrag = 5;
const zoomStep = 0.5;

/** Pointing, dragging and keys on a chart. */
export function useChartPointer({ scale, range, xs, pointed, onPoint, onZoom }: Wanted) {
  const [selection, setSelection] = useState<Range>();
  const [isHere, setHere] = useState(false);
  const start = useRef<number | undefined>(undefined);

  const xOf = ({ clientX, currentTarget }: PointerEvent): number => {
    const x = scale.invert(clientX - currentTarget.getBoundingClientRect().left);
    return Math.min(range[1], Math.max(range[0], x));
  };
  const point = (x: number | undefined) => {
    setHere(x !== undefined);
    onPoint(x);
  };
  const nearestX = (x: number) => xs[nearest(xs, x) ?? -1];

  function move(event: PointerEvent): void {
    const x = xOf(event);
    point(nearestX(x));
    if (start.current === undefined) return;
    const [from, to] = [Math.min(start.current, x), Math.max(start.current, x)];
    setSelection(scale(to) - scale(from) >= smallestDrag ? [from, to] : undefined);
  }

  function press(event: KeyboardEvent): void {
    const now = nearest(xs, pointed ?? range[1]);
    if (now === undefined) return;
    const go = (at: number) => point(xs[Math.min(xs.length - 1, Math.max(0, at))]);
    // A long line is stepped through in parts, else it would take thousands of key presses.
    const far = Math.max(1, Math.round(xs.length / 20));
    const steps: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => go(pointed === undefined ? now : now - (event.shiftKey ? far : 1)),
      ArrowRight: () => go(pointed === undefined ? now : now + (event.shiftKey ? far : 1)),
      PageDown: () => go(now - far),
      PageUp: () => go(now + far),
      Home: () => go(0),
      End: () => go(xs.length - 1),
      "+": () => onZoom(around(range, xs[now] ?? range[0], zoomStep)),
      "=": () => onZoom(around(range, xs[now] ?? range[0], zoomStep)),
      "-": () => onZoom(undefined),
      "0": () => onZoom(undefined),
      Escape: () => point(undefined),
    };
    const step = steps[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    step();
  }

  return {
    selection,
    isHere,
    handlers: {
      onPointerDown(event: PointerEvent) {
        // Touching scrolls; dragging with a finger would prevent it.
        if (event.button !== 0 || event.pointerType === "touch") return;
        start.current = xOf(event);
        event.currentTarget.setPointerCapture(event.pointerId);
      },
      onPointerMove: move,
      onPointerUp() {
        start.current = undefined;
        if (selection) onZoom(selection);
        setSelection(undefined);
      },
      onPointerCancel() {
        start.current = undefined;
        setSelection(undefined);
      },
      onPointerLeave: () => point(undefined),
      onBlur: () => point(undefined),
      onDoubleClick: () => onZoom(undefined),
      onKeyDown: press,
    },
  };
}

function around([from, to]: Range, x: number, share: number): Range {
  const width = (to - from) * share;
  const start = Math.min(Math.max(from, x - width / 2), to - width);
  return [start, start + width];
}
