import { type PointerEvent, useCallback, useRef, useState } from "react";

import { counted } from "../../../ui/counted.ts";
import { drawLanes, laneHeightIn, momentAt, prepare } from "./draw-timeline.ts";
import { barAt, type LaneBar } from "./lanes.ts";
import { between, type TimeRange } from "./time-range.ts";
import { useDrawing, useSize } from "./use-drawing.ts";

interface LaneStripProps {
  lanes: readonly (readonly LaneBar[])[];
  whole: TimeRange;
  range: TimeRange;
  chosen: number | undefined;
  onRange: (range: TimeRange) => void;
  onChoose: (node: number) => void;
  onHover: (node: number | undefined, at: { x: number; y: number }) => void;
}

const height = { lane: 14, least: 28, most: 96 } as const;
/** A smaller movement is a click. */
const dragFrom = 4;

/** The whole run in lanes. Pulling over it zooms into that part; a click chooses the node. */
export function LaneStrip({ lanes, whole, range, chosen, onRange, onChoose, onHover }: LaneStripProps) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const area = useSize(frame);
  const [pulled, setPulled] = useState<{ from: number; to: number } | null>(null);
  const tall = Math.min(height.most, Math.max(height.least, lanes.length * height.lane));

  useDrawing(
    canvas,
    useCallback(
      (element, colourOf) => {
        const context = prepare(element, area);
        if (context) drawLanes(context, { lanes, whole, range, chosen, area }, colourOf);
      },
      [area, lanes, whole, range, chosen],
    ),
  );

  function placeOf(event: PointerEvent<HTMLElement>): { x: number; node: number | undefined } {
    const box = event.currentTarget.getBoundingClientRect();
    const x = event.clientX - box.left;
    const lane = lanes[Math.floor((event.clientY - box.top) / laneHeightIn(lanes.length, area.height))];
    const reach = (whole.to - whole.from) * (4 / Math.max(1, area.width));
    return { x, node: lane && barAt(lane, momentAt(x, whole, area.width), reach)?.node };
  }

  return (
    <div
      ref={frame}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- it is a drawing, not a file
      role="img"
      aria-label={`${counted(lanes.length, "node")} ran at the same time at most`}
      data-testid="run-lanes"
      data-lanes={lanes.length}
      className="relative cursor-crosshair touch-none"
      style={{ height: tall }}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const { x } = placeOf(event);
        setPulled({ from: x, to: x });
      }}
      onPointerMove={(event) => {
        const { x, node } = placeOf(event);
        if (pulled) setPulled({ ...pulled, to: x });
        onHover(pulled ? undefined : node, { x: event.clientX, y: event.clientY });
      }}
      onPointerLeave={(event) => onHover(undefined, { x: event.clientX, y: event.clientY })}
      onPointerUp={(event) => {
        if (!pulled) return;
        setPulled(null);
        const { x, node } = placeOf(event);
        if (Math.abs(x - pulled.from) >= dragFrom)
          onRange(between(momentAt(pulled.from, whole, area.width), momentAt(x, whole, area.width), whole));
        else if (node !== undefined) onChoose(node);
      }}
      onPointerCancel={() => setPulled(null)}
    >
      <canvas ref={canvas} className="absolute inset-0 size-full" />
      {pulled && Math.abs(pulled.to - pulled.from) >= dragFrom ? (
        <div
          className="absolute inset-y-0 border-x border-accent bg-accent/15"
          style={{ left: Math.min(pulled.from, pulled.to), width: Math.abs(pulled.to - pulled.from) }}
        />
      ) : null}
    </div>
  );
}
