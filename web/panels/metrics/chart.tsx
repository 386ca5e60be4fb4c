import { useId, useMemo } from "react";

import type { ChartLine, Shown } from "./chart-lines.ts";
import { linearScale, logScale, nearest, pathOf, type Range, ticksOf, yRange } from "./chart-scale.ts";
import { ChartMarks } from "./chart-marks.tsx";
import { ChartTip } from "./chart-tip.tsx";
import { useChartPointer } from "./use-chart-pointer.ts";
import { useWidth } from "./use-width.ts";

export interface ChartProps {
  /** What is drawn, for people who do not see it. */
  label: string;
  lines: readonly ChartLine[];
  /** What is shown of the x axis. */
  range: Range;
  height: number;
  isLog?: boolean;
  xWords: (value: number) => string;
  yWords: (value: number) => string;
  /** The x that all charts of a panel point at. */
  pointed: number | undefined;
  onPoint: (x: number | undefined) => void;
  /** Undefined: back to everything. */
  onZoom: (range: Range | undefined) => void;
  /** Only the lowest chart of several with one axis names its x. */
  hasXNames?: boolean;
}

const margin = { left: 56, right: 12, top: 8, bottom: 22, bottomBare: 8 } as const;

/** Lines over a shared axis. Dragging zooms, a double click shows everything again; the arrow keys move the pointer. */
export function Chart(props: ChartProps) {
  const { label, lines, range, height, isLog = false, xWords, yWords, pointed, onPoint, onZoom } = props;
  const { hasXNames = true } = props;
  const [host, width] = useWidth();
  const clip = useId();
  const bottom = height - (hasXNames ? margin.bottom : margin.bottomBare);
  const scales = useMemo(() => {
    const values = yRange(lines, range, isLog);
    const pixels: Range = [bottom, margin.top];
    const ticks = ticksOf(range, Math.max(2, Math.floor(width / 110)));
    const x = linearScale(range, [margin.left, Math.max(margin.left + 1, width - margin.right)], ticks);
    if (!values) return { x, y: undefined };
    const y = isLog ? logScale(values, pixels) : linearScale(values, pixels, ticksOf(values, Math.max(2, height / 55)));
    return { x, y };
  }, [lines, range, isLog, width, height, bottom]);
  const { x: xScale, y: yScale } = scales;
  const xs = useMemo(() => allX(lines, range), [lines, range]);
  const pointer = useChartPointer({ scale: xScale, range, xs, pointed, onPoint, onZoom });
  const at = pointed === undefined || pointed < range[0] || pointed > range[1] ? undefined : pointed;
  const shown = at === undefined ? [] : valuesAt(lines, at);
  const words = shown.map(({ line, value }) => `${line.label} ${value === null ? "no value" : yWords(value)}`);

  return (
    <div ref={host} className="relative min-w-0">
      <svg
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an input cannot draw lines
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={range[0]}
        aria-valuemax={range[1]}
        aria-valuenow={at ?? range[1]}
        aria-valuetext={at === undefined ? "Nothing is pointed at" : `${xWords(at)}: ${words.join(", ")}`}
        width={width}
        height={height}
        className="block touch-pan-y rounded-sm select-none -outline-offset-2"
        {...pointer.handlers}
      >
        <clipPath id={clip}>
          <rect
            x={margin.left}
            y={margin.top - 2}
            width={Math.max(0, width - margin.left - margin.right)}
            height={bottom - margin.top + 4}
          />
        </clipPath>
        {yScale?.ticks.map((tick) => (
          <g key={tick}>
            <line
              x1={margin.left}
              x2={width - margin.right}
              y1={yScale(tick)}
              y2={yScale(tick)}
              className="stroke-line"
            />
            <text
              x={margin.left - 6}
              y={yScale(tick)}
              dominantBaseline="middle"
              textAnchor="end"
              className="fill-ink-muted text-[11px] tabular-nums"
            >
              {yWords(tick)}
            </text>
          </g>
        ))}
        {hasXNames
          ? xScale.ticks.map((tick) => (
              <text
                key={tick}
                x={xScale(tick)}
                y={height - 6}
                textAnchor="middle"
                className="fill-ink-muted text-[11px] tabular-nums"
              >
                {xWords(tick)}
              </text>
            ))
          : null}
        <line x1={margin.left} x2={width - margin.right} y1={bottom} y2={bottom} className="stroke-line-strong" />
        {yScale ? (
          <g clipPath={`url(#${clip})`} fill="none" strokeLinejoin="round" strokeLinecap="round">
            {lines.map(({ key, colour, x, raw }) =>
              raw ? (
                <path
                  key={key}
                  d={pathOf(x, raw, { x: xScale, y: yScale }, isLog)}
                  style={{ stroke: colour }}
                  strokeWidth={1}
                  opacity={0.25}
                />
              ) : null,
            )}
            {lines.map(({ key, colour, dash, x, y }) => (
              <path
                key={key}
                data-testid="chart-line"
                d={pathOf(x, y, { x: xScale, y: yScale }, isLog)}
                style={{ stroke: colour }}
                strokeWidth={1.75}
                strokeDasharray={dash}
              />
            ))}
          </g>
        ) : null}
        {yScale ? <ChartMarks lines={lines} range={range} x={xScale} y={yScale} isLog={isLog} /> : null}
        {pointer.selection ? (
          <rect
            x={xScale(pointer.selection[0])}
            y={margin.top}
            width={xScale(pointer.selection[1]) - xScale(pointer.selection[0])}
            height={bottom - margin.top}
            className="fill-accent"
            opacity={0.18}
          />
        ) : null}
        {at === undefined ? null : (
          <g pointerEvents="none">
            <line x1={xScale(at)} x2={xScale(at)} y1={margin.top} y2={bottom} className="stroke-line-strong" />
            {yScale
              ? shown.map(({ line, x, value }) =>
                  value === null || (isLog && value <= 0) || x < range[0] || x > range[1] ? null : (
                    <circle
                      key={line.key}
                      cx={xScale(x)}
                      cy={yScale(value)}
                      r={3.5}
                      style={{ fill: line.colour }}
                      className="stroke-surface"
                    />
                  ),
                )
              : null}
          </g>
        )}
      </svg>
      {yScale ? null : (
        <p className="pointer-events-none absolute inset-0 grid place-items-center text-sm text-ink-muted">
          {isLog ? "Nothing above zero to draw on a log scale." : "Nothing to draw here."}
        </p>
      )}
      {at === undefined || !pointer.isHere ? null : (
        <ChartTip left={xScale(at)} width={width} title={xWords(at)} rows={shown} words={yWords} />
      )}
    </div>
  );
}

/** What each line shows at its point nearest to an x. */
function valuesAt(lines: readonly ChartLine[], at: number): Shown[] {
  return lines.flatMap((line) => {
    const place = nearest(line.x, at);
    return place === undefined ? [] : [{ line, x: line.x[place] ?? 0, value: line.y[place] ?? null }];
  });
}

/** Every x between the ends that some line has a point at: what the arrow keys step through. */
function allX(lines: readonly ChartLine[], [from, to]: Range): number[] {
  const all = new Set(lines.flatMap(({ x }) => x.filter((one) => one >= from && one <= to)));
  return [...all].toSorted((one, other) => one - other);
}
