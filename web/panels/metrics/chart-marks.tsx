import type { ChartLine, ChartMark } from "./chart-lines.ts";
import type { Range, Scale } from "./chart-scale.ts";

interface ChartMarksProps {
  lines: readonly ChartLine[];
  range: Range;
  x: Scale;
  y: Scale;
  isLog: boolean;
}

/** The points of the lines that stand out, as far as they are in view. */
export function ChartMarks({ lines, range, x, y, isLog }: ChartMarksProps) {
  return (
    <g pointerEvents="none">
      {lines.flatMap(({ key, colour, marks = [] }) =>
        marks
          .filter((mark) => mark.x >= range[0] && mark.x <= range[1] && (!isLog || mark.y > 0))
          .map((mark) => (
            <g
              key={`${key} ${mark.kind}`}
              data-testid={`mark-${mark.kind}`}
              transform={`translate(${x(mark.x).toFixed(1)} ${y(mark.y).toFixed(1)})`}
            >
              <MarkShape kind={mark.kind} colour={colour} />
            </g>
          )),
      )}
    </g>
  );
}

function MarkShape({ kind, colour }: { kind: ChartMark["kind"]; colour: string }) {
  if (kind === "last") return <circle r={3} style={{ fill: colour }} />;
  return <path d="M0 -5.5L5.5 0L0 5.5L-5.5 0Z" style={{ stroke: colour }} strokeWidth={2} className="fill-surface" />;
}

/** A mark beside its meaning, in a legend. */
export function MarkSample({ kind }: { kind: ChartMark["kind"] }) {
  return (
    <svg width={14} height={14} viewBox="-7 -7 14 14" className="shrink-0" aria-hidden="true">
      <MarkShape kind={kind} colour="currentColor" />
    </svg>
  );
}
