import { useMemo } from "react";

import { thinnedPlaces } from "@miranda/contract/metrics/thin-points.ts";

import { oneLine } from "../../ui/text/drawable-text.ts";
import type { ChartLine } from "./chart-lines.ts";
import { nearest } from "./chart-scale.ts";
import { numberWords } from "./chart-words.ts";

interface PointsTableProps {
  lines: readonly ChartLine[];
  /** What the first column counts. */
  axis: string;
  xWords: (value: number) => string;
}

const most = { rows: 200, lines: 12 } as const;

/** The points of the lines as a table. Of many points some are left out. */
export function PointsTable({ lines, axis, xWords }: PointsTableProps) {
  const shown = lines.slice(0, most.lines);
  const rows = useMemo(() => rowsOf(shown), [shown]);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
    <div tabIndex={0} className="max-h-72 overflow-auto rounded-md border border-line -outline-offset-2">
      <table className="w-full text-sm tabular-nums">
        <caption className="sr-only">The values of the metrics</caption>
        <thead className="sticky top-0 bg-surface text-left text-xs text-ink-muted">
          <tr>
            <th scope="col" className="px-3 py-1.5 font-medium">
              {axis}
            </th>
            {shown.map(({ key, label }) => (
              <th key={key} scope="col" className="max-w-48 truncate px-3 py-1.5 font-medium" title={oneLine(label)}>
                {oneLine(label)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ x, values }) => (
            <tr key={x} className="border-t border-line">
              <th scope="row" className="px-3 py-1 text-left font-normal text-ink-muted">
                {xWords(x)}
              </th>
              {values.map((value, at) => (
                <td key={shown[at]?.key} className="px-3 py-1">
                  {value === undefined ? "" : value === null ? "no value" : numberWords(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A row for each x; a line without a point there has an empty cell. */
function rowsOf(lines: readonly ChartLine[]): { x: number; values: (number | null | undefined)[] }[] {
  const all = [...new Set(lines.flatMap(({ x }) => x))].toSorted((one, other) => one - other);
  const places = thinnedPlaces(all, most.rows);
  return places.map((place) => {
    const x = all[place] ?? 0;
    const values = lines.map((line) => {
      const at = nearest(line.x, x) ?? -1;
      return line.x[at] === x ? (line.y[at] ?? null) : undefined;
    });
    return { x, values };
  });
}
