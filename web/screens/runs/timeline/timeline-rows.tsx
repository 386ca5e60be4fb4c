import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type PointerEvent, useCallback, useEffect, useId, useRef, useState } from "react";

import { nodeLooks } from "../../../panels/runs/run-looks.ts";
import { LookIcon } from "../../../panels/runs/run-mark.tsx";
import { classes } from "../../../ui/classes.ts";
import { drawRows, momentAt, prepare, rowHeight } from "./draw-timeline.ts";
import type { Hovered } from "./hover-card.tsx";
import { panned, type TimeRange, zoomed } from "./time-range.ts";
import { didNotRun, type TimelineNode } from "./timeline-nodes.ts";
import { useDrawing, useSize } from "./use-drawing.ts";

interface TimelineRowsProps {
  nodes: readonly TimelineNode[];
  whole: TimeRange;
  range: TimeRange;
  chosen: number | undefined;
  /** The number beside each name: how long it ran, or what it cost. */
  wordsOf: (node: TimelineNode) => string;
  onRange: (range: TimeRange) => void;
  onChoose: (node: number) => void;
  /** Enter: the person wants to read about the chosen node. */
  onOpen: () => void;
  onHover: (hovered: Hovered | null) => void;
}

/** The names take this part of the width; the axis above uses the same. */
export const namesWidth = "w-36 sm:w-56 lg:w-72";
const dragFrom = 4;
const step = { zoom: 0.7, wheel: 1.0015, pan: 0.1 } as const;

/**
 * A row per node: its name, and a bar for the time it ran. Names are elements, of which only those in view exist; all bars
 * are one drawing, so that thousands of nodes stay smooth.
 */
export function TimelineRows(props: TimelineRowsProps) {
  const { nodes, whole, range, chosen, wordsOf, onRange, onChoose, onOpen, onHover } = props;
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const bars = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useSize(frame);
  const area = { width: useSize(bars).width, height: view.height };
  const [top, setTop] = useState(0);
  const drag = useRef<{ x: number; range: TimeRange; moved: boolean } | null>(null);
  const at = nodes.findIndex(({ key }) => key === chosen);
  // oxlint-disable-next-line react/incompatible-library -- the library mutates its object, so nothing here is memoised
  const virtual = useVirtualizer({
    count: nodes.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });

  useDrawing(
    canvas,
    useCallback(
      (element, colourOf) => {
        const size = { width: area.width, height: area.height };
        const context = prepare(element, size);
        if (context) drawRows(context, { nodes, range, top, area: size }, colourOf);
      },
      [nodes, range, top, area.width, area.height],
    ),
  );

  // A node that was chosen elsewhere, on the graph or in a link, comes into view.
  useEffect(() => {
    if (at !== -1) virtual.scrollToIndex(at, { align: "auto" });
    // Only when another node is chosen: new bars of a living run must not scroll.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [chosen]);

  const zoomAt = useCallback(
    (factor: number, moment: number) => onRange(zoomed(range, whole, factor, moment)),
    [range, whole, onRange],
  );

  // React's own wheel handler cannot keep the page from zooming.
  const wheel = useRef<(event: WheelEvent) => void>(() => undefined);
  useEffect(() => {
    wheel.current = (event) => {
      const left = bars.current?.getBoundingClientRect().left ?? 0;
      const length = range.to - range.from;
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        zoomAt(step.wheel ** event.deltaY, momentAt(event.clientX - left, range, area.width));
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        onRange(panned(range, whole, ((event.deltaX || event.deltaY) / Math.max(1, area.width)) * length));
      }
    };
  });
  useEffect(() => {
    const element = frame.current;
    const turn = (event: WheelEvent) => wheel.current(event);
    element?.addEventListener("wheel", turn, { passive: false });
    return () => element?.removeEventListener("wheel", turn);
  }, []);

  function go(to: number): void {
    const next = Math.max(0, Math.min(nodes.length - 1, to));
    const node = nodes[next];
    if (!node) return;
    virtual.scrollToIndex(next);
    onChoose(node.key);
  }

  function press(event: KeyboardEvent): void {
    const middle = (range.from + range.to) / 2;
    const length = range.to - range.from;
    const page = Math.max(1, Math.floor(view.height / rowHeight) - 1);
    const keys: Record<string, () => void> = {
      ArrowDown: () => go(at + 1),
      ArrowUp: () => go(at === -1 ? 0 : at - 1),
      PageDown: () => go(at + page),
      PageUp: () => go(at - page),
      Home: () => go(0),
      End: () => go(nodes.length - 1),
      Enter: onOpen,
      ArrowLeft: () => onRange(panned(range, whole, -length * step.pan)),
      ArrowRight: () => onRange(panned(range, whole, length * step.pan)),
      "+": () => zoomAt(step.zoom, middle),
      "=": () => zoomAt(step.zoom, middle),
      "-": () => zoomAt(1 / step.zoom, middle),
      "0": () => onRange(whole),
    };
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (!act) return;
    act();
    event.preventDefault();
    event.stopPropagation();
  }

  function move(event: PointerEvent): void {
    const pulled = drag.current;
    if (pulled) {
      const by = event.clientX - pulled.x;
      pulled.moved ||= Math.abs(by) >= dragFrom;
      if (pulled.moved) {
        const length = pulled.range.to - pulled.range.from;
        onRange(panned(pulled.range, whole, (-by / Math.max(1, area.width)) * length));
        return onHover(null);
      }
    }
    const box = frame.current?.getBoundingClientRect();
    const node = box && nodes[Math.floor((event.clientY - box.top + top) / rowHeight)];
    onHover(node && event.pointerType === "mouse" ? { node, x: event.clientX, y: event.clientY } : null);
  }

  return (
    <div
      ref={frame}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- <select> cannot show rows like these
      role="listbox"
      aria-label="Nodes"
      aria-keyshortcuts="+ - 0 ArrowLeft ArrowRight"
      tabIndex={0}
      aria-activedescendant={at === -1 ? undefined : `${id}-${at}`}
      data-testid="run-timeline"
      data-count={nodes.length}
      onKeyDown={press}
      onScroll={(event) => {
        setTop(event.currentTarget.scrollTop);
        // Another row is under the pointer now.
        onHover(null);
      }}
      onPointerMove={move}
      onPointerLeave={() => onHover(null)}
      onPointerDown={(event) => {
        const left = bars.current?.getBoundingClientRect().left ?? 0;
        if (event.button === 0 && event.pointerType === "mouse" && event.clientX >= left)
          drag.current = { x: event.clientX, range, moved: false };
      }}
      onPointerUp={() => {
        // The click that ends a pull comes after this.
        setTimeout(() => (drag.current = null), 0);
      }}
      onPointerCancel={() => (drag.current = null)}
      className="group/list relative min-h-0 flex-1 overflow-y-auto overscroll-contain focus-visible:outline-none"
    >
      <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
        <div
          role="presentation"
          className="pointer-events-none sticky top-0 z-1 flex"
          // It lies over the rows and takes no room of its own.
          style={{ height: view.height, marginBottom: -view.height }}
        >
          <div className={classes(namesWidth, "shrink-0")} />
          <div ref={bars} className="relative min-w-0 flex-1">
            <canvas ref={canvas} className="absolute inset-0 size-full" />
          </div>
        </div>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const node = nodes[index];
          if (!node) return null;
          const isChosen = index === at;
          return (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the list has the focus and the keys
            <div
              key={node.key}
              id={`${id}-${index}`}
              data-testid="run-node"
              data-state={node.state}
              // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- nor can <option>
              role="option"
              aria-selected={isChosen}
              aria-setsize={nodes.length}
              aria-posinset={index + 1}
              onClick={() => {
                if (!drag.current?.moved) onChoose(node.key);
              }}
              className={classes(
                "absolute inset-x-0 flex cursor-default items-center border-b border-line/60",
                isChosen
                  ? "bg-accent-soft outline-2 -outline-offset-2 outline-transparent group-focus-visible/list:outline-(--ring)"
                  : "hover:bg-hover",
              )}
              style={{ top: start, height: rowHeight }}
            >
              <span
                className={classes(namesWidth, "flex shrink-0 items-center gap-2 border-r border-line px-3 text-sm")}
              >
                <LookIcon look={nodeLooks[node.state]} className="size-3.5" withWord />
                <span dir="auto" className="min-w-0 flex-1 truncate">
                  {node.name}
                </span>
                <span
                  // The icon has said the state already.
                  aria-hidden={didNotRun(node.state)}
                  className="shrink-0 text-xs text-ink-muted tabular-nums max-sm:hidden"
                >
                  {wordsOf(node)}
                </span>
              </span>
            </div>
          );
        })}
      </div>
    </div>
  );
}
