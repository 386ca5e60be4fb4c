import { oneLine } from "../../ui/text/drawable-text.ts";
import type { Shown } from "./chart-lines.ts";
import { LineMark } from "./line-mark.tsx";

interface ChartTipProps {
  /** The place of the pointer, and the width of the chart. */
  left: number;
  width: number;
  title: string;
  rows: readonly Shown[];
  words: (value: number) => string;
}

const most = 12;

/** The values under the pointer. Screen readers get them from the chart itself. */
export function ChartTip({ left, width, title, rows, words }: ChartTipProps) {
  const isLeft = left > width / 2;
  return (
    <div
      aria-hidden="true"
      data-testid="chart-tip"
      className="pointer-events-none absolute top-2 z-10 max-w-64 rounded-md bg-raised px-2.5 py-1.5 text-xs shadow-high"
      style={isLeft ? { right: width - left + 10 } : { left: left + 10 }}
    >
      <p className="font-medium tabular-nums">{title}</p>
      <ul className="mt-0.5 flex flex-col gap-0.5">
        {rows.slice(0, most).map(({ line, value }) => (
          <li key={line.key} className="flex min-w-0 items-center gap-2">
            <LineMark line={line} />
            <span className="min-w-0 flex-1 truncate text-ink-muted">{oneLine(line.label)}</span>
            <span className="tabular-nums">{value === null ? "no value" : words(value)}</span>
          </li>
        ))}
      </ul>
      {rows.length > most ? <p className="text-ink-faint">{rows.length - most} more</p> : null}
    </div>
  );
}
