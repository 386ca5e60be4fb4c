import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react";

import type { Range } from "../metrics/chart-scale.ts";
import { type PlotAxis, wordsAt } from "./plot-axes.ts";

interface AxisBrushProps {
  axis: PlotAxis;
  top: number;
  bottom: number;
  range: Range | undefined;
  onBrush: (range: Range | undefined) => void;
}

const width = 26;
const step = 0.05;
const firstChoice: Range = [0.75, 1];

/** What is chosen on an axis. Dragging chooses, a click takes it back; the arrow keys do the same. */
export function AxisBrush({ axis, top, bottom, range, onBrush }: AxisBrushProps) {
  const start = useRef<number | undefined>(undefined);
  const [drag, setDrag] = useState<Range>();
  const shown = drag ?? range;

  const placeAt = ({ clientY, currentTarget }: PointerEvent): number => {
    const box = currentTarget.getBoundingClientRect();
    return Math.min(1, Math.max(0, 1 - (clientY - box.top) / (box.height || 1)));
  };

  function press(event: KeyboardEvent): void {
    const move = { ArrowUp: step, ArrowDown: -step }[event.key];
    if (event.key === "Escape" || event.key === "Delete") onBrush(undefined);
    else if (move === undefined) return;
    else if (!range) onBrush(firstChoice);
    else onBrush(event.shiftKey ? stretched(range, move) : moved(range, move));
    event.preventDefault();
  }

  return (
    <>
      {shown ? (
        <rect
          x={-width / 2 + 5}
          width={width - 10}
          y={bottom - Math.max(...shown) * (bottom - top)}
          height={Math.abs(shown[1] - shown[0]) * (bottom - top)}
          rx={3}
          className="fill-accent stroke-accent"
          fillOpacity={0.25}
          data-testid="brush"
        />
      ) : null}
      <rect
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an input has one thumb, a choice has two ends
        role="slider"
        tabIndex={0}
        aria-label={`Choose by ${axis.label}`}
        aria-orientation="vertical"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round((range?.[1] ?? 1) * 100)}
        aria-valuetext={range ? `${wordsAt(axis, range[0])} to ${wordsAt(axis, range[1])}` : "Everything"}
        x={-width / 2}
        y={top}
        width={width}
        height={bottom - top}
        fill="transparent"
        className="cursor-ns-resize touch-none rounded-sm"
        onKeyDown={press}
        onClick={(event) => event.stopPropagation()}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          start.current = placeAt(event);
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => {
          if (start.current !== undefined) setDrag([start.current, placeAt(event)]);
        }}
        onPointerUp={(event) => {
          if (start.current !== undefined) onBrush([start.current, placeAt(event)]);
          start.current = undefined;
          setDrag(undefined);
        }}
        onPointerCancel={() => {
          start.current = undefined;
          setDrag(undefined);
        }}
      />
    </>
  );
}

function moved([from, to]: Range, by: number): Range {
  const most = by > 0 ? Math.min(by, 1 - to) : Math.max(by, -from);
  return [from + most, to + most];
}

/** Only the lower end moves: with the other key the whole choice does. */
function stretched([from, to]: Range, by: number): Range {
  return [Math.min(to - step, Math.max(0, from + by)), to];
}
