import { useMemo } from "react";

import { classes } from "../classes.ts";
import { JsonTree, type JsonTreeLimits } from "../json-tree.tsx";
import { LongText } from "../text/long-text.tsx";
import { oneLine, startOf } from "../text/drawable-text.ts";
import { framedPage } from "./output-frame.ts";
import { chartPoints, type Output, type TableOutput } from "./output-kind.ts";

interface OutputViewProps {
  output: Output;
  label: string;
  limits: JsonTreeLimits;
  /** In the little space of a node: the beginning will do. */
  small?: boolean;
}

/** Something a node showed. It was made by somebody's code, so nothing in it may run, load or leave its frame. */
export function OutputView({ output, label, limits, small = false }: OutputViewProps) {
  switch (output.kind) {
    case "image":
      return (
        <img
          src={output.address}
          alt={label}
          draggable={false}
          className={classes(
            output.isDrawing ? "w-full" : "max-w-full",
            "object-contain",
            small ? "max-h-40" : "max-h-[60dvh]",
          )}
        />
      );
    case "html":
      return <Framed html={output.html} label={label} className={small ? "pointer-events-none h-36" : "h-[55dvh]"} />;
    case "table":
      return <Table {...output.table} most={small ? 5 : 1_000} />;
    case "chart":
      return <Chart values={output.values} label={label} small={small} />;
    case "number":
      return (
        <p className={classes("font-semibold tabular-nums", small ? "text-xl" : "text-3xl")}>
          {output.number.toLocaleString(undefined, { maximumSignificantDigits: 8 })}
        </p>
      );
    case "json":
      return <JsonTree value={output.value} limits={limits} label={label} />;
    case "text":
      return (
        <pre
          className={classes("font-mono break-words whitespace-pre-wrap", small ? "line-clamp-6 text-2xs" : "text-sm")}
        >
          {small ? startOf(output.text, 600) : <LongText text={output.text} />}
        </pre>
      );
  }
}

interface FramedProps {
  html: string;
  label: string;
  className: string;
}

function Framed({ html, label, className }: FramedProps) {
  const isDark = document.documentElement.classList.contains("dark");
  const page = useMemo(() => framedPage(html, isDark), [html, isDark]);
  return (
    <iframe
      title={label}
      sandbox=""
      referrerPolicy="no-referrer"
      srcDoc={page}
      className={classes("w-full border-0", className)}
    />
  );
}

const mostCells = 10_000;

function Table({ columns, rows, most }: TableOutput & { most: number }) {
  const shown = rows.slice(0, Math.min(most, Math.ceil(mostCells / Math.max(1, columns.length))));
  return (
    <div className="max-w-full overflow-x-auto">
      <table className="text-left text-xs">
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col" className="border-b border-line py-1 pr-3 font-medium whitespace-nowrap">
                {oneLine(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- rows have nothing else to be known by
            <tr key={at}>
              {columns.map((name) => (
                <td key={name} className="max-w-48 truncate border-b border-line py-0.5 pr-3 tabular-nums">
                  {oneLine(words(row[name]))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Chart({ values, label, small }: { values: readonly number[]; label: string; small: boolean }) {
  const [width, height] = [240, small ? 72 : 120];
  return (
    <svg
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- it is a drawing, not a file
      role="img"
      aria-label={label}
      viewBox={`-2 -2 ${width + 4} ${height + 4}`}
      className="w-full max-w-xl text-accent"
    >
      <polyline
        points={chartPoints(values.slice(0, 5_000), width, height)}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinejoin="round"
      />
    </svg>
  );
}

function words(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
