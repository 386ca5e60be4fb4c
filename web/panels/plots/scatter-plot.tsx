import { memo, type PointerEvent, useMemo, useRef, useState } from "react";

import { oneLine } from "../../ui/text/drawable-text.ts";
import type { Range } from "../metrics/chart-scale.ts";
import { useWidth } from "../metrics/use-width.ts";
import type { Brushes } from "./brushes.ts";
import type { PlotProps } from "./parallel-plot.tsx";
import { marksOf, placeOf, type PlotAxis, type PlotItem } from "./plot-axes.ts";
import { colourOf } from "./plot-colours.ts";
import { RunTip } from "./run-tip.tsx";

interface ScatterPlotProps extends PlotProps {
  x: PlotAxis;
  y: PlotAxis;
  brushes: Brushes;
  /** Undefined for both: nothing is chosen on these axes any more. */
  onBrushes: (x: Range | undefined, y: Range | undefined) => void;
}

const size = { height: 320, left: 64, right: 20, top: 14, bottom: 44, reach: 18, smallestDrag: 5 } as const;

interface Dot {
  run: PlotItem;
  x: number;
  y: number;
}

/** A dot for each run that has both values. Dragging a rectangle chooses runs. */
export function ScatterPlot(props: ScatterPlotProps) {
  const { runs, x, y, chosen, colour, brushes, onBrushes, pointed, onPoint, onOpen } = props;
  const [host, width] = useWidth();
  const start = useRef<{ x: number; y: number } | undefined>(undefined);
  const [drag, setDrag] = useState<{ x: Range; y: Range }>();
  const inner = { width: Math.max(1, width - size.left - size.right), height: size.height - size.top - size.bottom };
  const bottom = size.top + inner.height;
  const dots = useMemo(
    () =>
      runs.flatMap((run): Dot[] => {
        const [across, up] = [placeOf(x, run), placeOf(y, run)];
        if (across === undefined || up === undefined) return [];
        return [{ run, x: size.left + across * inner.width, y: size.top + (1 - up) * inner.height }];
      }),
    [runs, x, y, inner.width, inner.height],
  );
  const dot = pointed && dots.find(({ run }) => run.id === pointed.id);
  const [shownX, shownY] = [drag?.x ?? brushes.get(x.key), drag?.y ?? brushes.get(y.key)];

  const placesAt = ({ clientX, clientY, currentTarget }: PointerEvent) => {
    const box = currentTarget.getBoundingClientRect();
    const share = (value: number) => Math.min(1, Math.max(0, value));
    return {
      x: share((clientX - box.left - size.left) / inner.width),
      y: share((bottom - (clientY - box.top)) / inner.height),
    };
  };

  function move(event: PointerEvent): void {
    const at = placesAt(event);
    if (start.current) {
      const { x: fromX, y: fromY } = start.current;
      const isDrag =
        Math.abs(at.x - fromX) * inner.width > size.smallestDrag ||
        Math.abs(at.y - fromY) * inner.height > size.smallestDrag;
      if (isDrag || drag) setDrag({ x: sorted(fromX, at.x), y: sorted(fromY, at.y) });
      return;
    }
    const [px, py] = [size.left + at.x * inner.width, bottom - at.y * inner.height];
    onPoint(nearestDot(dots, chosen, px, py)?.run.id);
  }

  function release(event: PointerEvent): void {
    const wasDrag = drag !== undefined;
    start.current = undefined;
    setDrag(undefined);
    if (event.type === "pointercancel") return;
    if (wasDrag) onBrushes(drag.x, drag.y);
    else if (pointed) onOpen(pointed);
    else onBrushes(undefined, undefined);
  }

  return (
    <div ref={host} className="relative min-w-0" data-testid="scatter-plot">
      <svg
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- it is drawn, and reacts to the pointer
        role="img"
        aria-label={`${y.label} over ${x.label}, ${dots.length} runs. The list below has all of them.`}
        width={width}
        height={size.height}
        className="block touch-pan-y select-none"
        style={{ cursor: pointed ? "pointer" : "crosshair" }}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          // Touching scrolls; a finger that opens a run does not drag.
          start.current = placesAt(event);
          if (event.pointerType !== "touch") event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={move}
        onPointerUp={release}
        onPointerCancel={release}
        onPointerLeave={() => onPoint(undefined)}
      >
        {marksOf(y).map(({ place, words }) => (
          <g key={words}>
            <line
              x1={size.left}
              x2={width - size.right}
              y1={bottom - place * inner.height}
              y2={bottom - place * inner.height}
              className="stroke-line"
            />
            <text
              x={size.left - 7}
              y={bottom - place * inner.height}
              textAnchor="end"
              dominantBaseline="middle"
              className="fill-ink-muted text-[11px] tabular-nums"
            >
              {words.length > 9 ? `${words.slice(0, 8)}…` : words}
            </text>
          </g>
        ))}
        {marksOf(x).map(({ place, words }) => (
          <text
            key={words}
            x={size.left + place * inner.width}
            y={bottom + 16}
            textAnchor="middle"
            className="fill-ink-muted text-[11px] tabular-nums"
          >
            {words.length > 12 ? `${words.slice(0, 11)}…` : words}
          </text>
        ))}
        <line x1={size.left} x2={width - size.right} y1={bottom} y2={bottom} className="stroke-line-strong" />
        <text
          x={size.left + inner.width / 2}
          y={size.height - 6}
          textAnchor="middle"
          className="fill-ink text-xs font-medium"
        >
          {oneLine(x.label)}
        </text>
        {shownX || shownY ? (
          <rect
            x={size.left + (shownX?.[0] ?? 0) * inner.width}
            width={((shownX?.[1] ?? 1) - (shownX?.[0] ?? 0)) * inner.width}
            y={bottom - (shownY?.[1] ?? 1) * inner.height}
            height={((shownY?.[1] ?? 1) - (shownY?.[0] ?? 0)) * inner.height}
            className="fill-accent stroke-accent"
            fillOpacity={0.1}
          />
        ) : null}
        <Dots dots={dots} chosen={chosen} colour={colour} />
        {dot ? (
          <circle
            cx={dot.x}
            cy={dot.y}
            r={7}
            fill="none"
            strokeWidth={2.5}
            className="pointer-events-none stroke-ink"
          />
        ) : null}
      </svg>
      {pointed ? <RunTip run={pointed} axes={[x, y, ...(colour ? [colour] : [])].filter(isFirst)} /> : null}
    </div>
  );
}

const sorted = (one: number, other: number): Range => [Math.min(one, other), Math.max(one, other)];

const isFirst = (axis: PlotAxis, at: number, all: readonly PlotAxis[]) =>
  all.findIndex(({ key }) => key === axis.key) === at;

function nearestDot(dots: readonly Dot[], chosen: ReadonlySet<string>, x: number, y: number): Dot | undefined {
  let [found, best]: [Dot | undefined, number] = [undefined, size.reach];
  for (const dot of dots) {
    const distance = Math.hypot(dot.x - x, dot.y - y);
    if (distance < best && chosen.has(dot.run.id)) [found, best] = [dot, distance];
  }
  return found;
}

interface DotsProps {
  dots: readonly Dot[];
  chosen: ReadonlySet<string>;
  colour: PlotAxis | undefined;
}

/** Not drawn again while the pointer moves. */
const Dots = memo(function Dots({ dots, chosen, colour }: DotsProps) {
  return (
    <g pointerEvents="none">
      {dots.map(({ run, x, y }) => {
        const isChosen = chosen.has(run.id);
        return (
          <circle
            key={run.id}
            data-testid={isChosen ? "run-dot" : "faint-dot"}
            cx={x}
            cy={y}
            r={4.5}
            className="stroke-surface"
            style={{ fill: isChosen ? colourOf(colour, run) : "var(--line)" }}
          />
        );
      })}
    </g>
  );
});
