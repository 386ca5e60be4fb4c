import { memo, type PointerEvent, useMemo } from "react";

import { oneLine } from "../../ui/text/drawable-text.ts";
import type { Range } from "../metrics/chart-scale.ts";
import { useWidth } from "../metrics/use-width.ts";
import { AxisBrush } from "./axis-brush.tsx";
import type { Brushes } from "./brushes.ts";
import { linePath, nearestLine, type PlacedLine } from "./parallel-lines.ts";
import { marksOf, placeOf, type PlotAxis, type PlotItem } from "./plot-axes.ts";
import { colourOf } from "./plot-colours.ts";
import { RunTip } from "./run-tip.tsx";

export interface PlotProps {
  runs: readonly PlotItem[];
  /** Those within every choice. */
  chosen: ReadonlySet<string>;
  colour: PlotAxis | undefined;
  pointed: PlotItem | undefined;
  onPoint: (id: string | undefined) => void;
  onOpen: (run: PlotItem) => void;
}

interface ParallelPlotProps extends PlotProps {
  axes: readonly PlotAxis[];
  brushes: Brushes;
  onBrush: (key: string, range: Range | undefined) => void;
}

const size = { height: 320, top: 12, bottom: 14, side: 56, gapMin: 104, reach: 14 } as const;

/** A line for each run through an axis for each parameter and metric. Dragging along an axis chooses runs. */
export function ParallelPlot(props: ParallelPlotProps) {
  const { runs, axes, chosen, colour, brushes, onBrush, pointed, onPoint, onOpen } = props;
  const [host, hostWidth] = useWidth();
  const width = Math.max(hostWidth, 2 * size.side + (axes.length - 1) * size.gapMin);
  const [top, bottom] = [size.top, size.height - size.bottom];
  const xs = useMemo(() => {
    const gap = axes.length < 2 ? 0 : (width - 2 * size.side) / (axes.length - 1);
    return axes.map((_, at) => (axes.length < 2 ? width / 2 : size.side + at * gap));
  }, [axes, width]);
  const lines = useMemo(
    () => new Map(runs.map((run) => [run.id, { id: run.id, ys: axes.map((axis) => yOf(axis, run, top, bottom)) }])),
    [runs, axes, top, bottom],
  );
  const near = useMemo(() => [...lines.values()].filter(({ id }) => chosen.has(id)), [lines, chosen]);
  const line = pointed && lines.get(pointed.id);

  function point({ clientX, clientY, currentTarget }: PointerEvent): void {
    const box = currentTarget.getBoundingClientRect();
    onPoint(nearestLine(xs, near, { x: clientX - box.left, y: clientY - box.top, reach: size.reach }));
  }

  return (
    <div ref={host} className="relative min-w-0">
      <div className="overflow-x-auto" data-testid="parallel-plot">
        <div className="relative" style={{ width }}>
          <ul className="relative h-10" aria-hidden="true">
            {axes.map((axis, at) => (
              <li
                key={axis.key}
                className="absolute bottom-0 line-clamp-2 -translate-x-1/2 text-center text-xs leading-4 font-medium wrap-anywhere"
                style={{ left: xs[at], width: size.gapMin - 8 }}
                title={axis.label}
              >
                {oneLine(axis.label)}
                {axis.type === "numbers" && axis.isLog ? <span className="text-ink-muted"> (log)</span> : null}
              </li>
            ))}
          </ul>
          {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions, jsx-a11y/click-events-have-key-events -- the list below has a link for each run */}
          <svg
            width={width}
            height={size.height}
            className="block select-none"
            style={{ cursor: pointed ? "pointer" : undefined }}
            onPointerMove={point}
            onPointerLeave={() => onPoint(undefined)}
            onClick={() => pointed && onOpen(pointed)}
          >
            <Lines runs={runs} lines={lines} xs={xs} chosen={chosen} colour={colour} />
            {line ? (
              <path
                d={linePath(xs, line)}
                fill="none"
                strokeWidth={3.5}
                className="stroke-ink"
                data-testid="pointed-line"
              />
            ) : null}
            {axes.map((axis, at) => (
              <g key={axis.key} transform={`translate(${xs[at] ?? 0} 0)`}>
                <line y1={top} y2={bottom} className="stroke-line-strong" />
                {marksOf(axis).map(({ place, words }) => (
                  <text
                    key={words}
                    x={-7}
                    y={bottom - place * (bottom - top)}
                    dominantBaseline="middle"
                    textAnchor="end"
                    className="pointer-events-none fill-ink-muted stroke-surface text-[11px] tabular-nums [paint-order:stroke] [stroke-width:3px]"
                  >
                    {shortened(words)}
                  </text>
                ))}
                <AxisBrush
                  axis={axis}
                  top={top}
                  bottom={bottom}
                  range={brushes.get(axis.key)}
                  onBrush={(range) => onBrush(axis.key, range)}
                />
              </g>
            ))}
          </svg>
        </div>
      </div>
      {pointed ? <RunTip run={pointed} axes={axes} /> : null}
    </div>
  );
}

const shortened = (words: string) => (words.length > 9 ? `${words.slice(0, 8)}…` : words);

function yOf(axis: PlotAxis, run: PlotItem, top: number, bottom: number): number | null {
  const place = placeOf(axis, run);
  return place === undefined ? null : bottom - place * (bottom - top);
}

interface LinesProps {
  runs: readonly PlotItem[];
  lines: ReadonlyMap<string, PlacedLine>;
  xs: readonly number[];
  chosen: ReadonlySet<string>;
  colour: PlotAxis | undefined;
}

/** Not drawn again while the pointer moves: there may be a thousand. */
const Lines = memo(function Lines({ runs, lines, xs, chosen, colour }: LinesProps) {
  const ordered = runs.toSorted((one, other) => Number(chosen.has(one.id)) - Number(chosen.has(other.id)));
  const opacity = chosen.size > 200 ? 0.35 : chosen.size > 40 ? 0.6 : 0.85;
  return (
    <g fill="none" strokeLinejoin="round" strokeWidth={1.5} pointerEvents="none">
      {ordered.map((run) => {
        const line = lines.get(run.id);
        const isChosen = chosen.has(run.id);
        return line ? (
          <path
            key={run.id}
            data-testid={isChosen ? "run-line" : "faint-line"}
            d={linePath(xs, line)}
            style={{ stroke: isChosen ? colourOf(colour, run) : "var(--line)" }}
            opacity={isChosen ? opacity : 0.6}
          />
        ) : null;
      })}
    </g>
  );
});
