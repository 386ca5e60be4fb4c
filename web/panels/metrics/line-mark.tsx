import type { ChartLine } from "./chart-lines.ts";

/** How a line looks, in a legend. */
export function LineMark({ line: { colour, dash } }: { line: Pick<ChartLine, "colour" | "dash"> }) {
  return (
    <svg width={16} height={8} className="shrink-0" aria-hidden="true">
      <line x1={1} x2={15} y1={4} y2={4} style={{ stroke: colour }} strokeWidth={2.5} strokeDasharray={dash} />
    </svg>
  );
}
