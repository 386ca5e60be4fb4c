import { ImageDown } from "lucide-react";
import { useEffect, useMemo, useRef } from "react";

import { classes } from "../classes.ts";
import { JsonTree, type JsonTreeLimits } from "../json-tree.tsx";
import { LongText } from "../text/long-text.tsx";
import { toast } from "../overlay/toast.ts";
import { oneLine, startOf } from "../text/drawable-text.ts";
import { framedPage } from "./output-frame.ts";
import { formatNumber } from "./number-format.ts";
import { OutputAction } from "./output-action.tsx";
import { chartPoints, type Output } from "./output-kind.ts";
import { savePicture } from "./save-file.ts";
import { columnFormat, type TableOutput } from "./table-value.ts";
import { tableSize, TableView } from "./table-view.tsx";

const small = { rows: 4, columns: 8 } as const;

interface OutputViewProps {
  output: Output;
  label: string;
  limits: JsonTreeLimits;
  /** In the small preview of a node, which shows only the start. */
  small?: boolean;
  /** For people who do not code. */
  plain?: boolean;
}

/** One output of a node. Untrusted code made it, so nothing in it may run, load or leave its frame. */
export function OutputView({ output, label, limits, small: isSmall = false, plain = false }: OutputViewProps) {
  switch (output.kind) {
    case "image":
      return isSmall ? (
        <Picture output={output} label={label} className="max-h-40" />
      ) : (
        <figure className="flex flex-col items-start gap-1.5">
          <Picture output={output} label={label} className="max-h-[60dvh]" />
          <OutputAction
            icon={ImageDown}
            label="PNG"
            hint="Download as PNG"
            onClick={() => {
              savePicture(label, output.address).catch(() => toast.error("The picture could not be made."));
            }}
          />
        </figure>
      );
    case "html":
      return <Framed html={output.html} label={label} className={isSmall ? "pointer-events-none h-36" : "h-[55dvh]"} />;
    case "table":
      return isSmall ? (
        <SmallTable table={output.table} />
      ) : (
        <TableView table={output.table} label={label} plain={plain} />
      );
    case "chart":
      return <Chart values={output.values} label={label} small={isSmall} />;
    case "number":
      return (
        <p
          className={classes("font-semibold tabular-nums", isSmall ? "text-xl" : "text-3xl")}
          title={String(output.number)}
        >
          {Number.isInteger(output.number) ? output.number.toLocaleString() : formatNumber(output.number)}
        </p>
      );
    case "json":
      return <JsonTree value={output.value} limits={{ ...limits, plainNumbers: true }} label={label} />;
    case "text":
      return (
        <pre
          className={classes(
            "font-mono break-words whitespace-pre-wrap",
            isSmall ? "line-clamp-6 text-2xs" : "text-sm",
          )}
        >
          {isSmall ? startOf(output.text, 600) : <LongText text={output.text} />}
        </pre>
      );
  }
}

interface PictureProps {
  output: Extract<Output, { kind: "image" }>;
  label: string;
  className: string;
}

function Picture({ output, label, className }: PictureProps) {
  return (
    <img
      src={output.address}
      alt={label}
      draggable={false}
      className={classes(output.isDrawing ? "w-full" : "max-w-full", "object-contain", className)}
    />
  );
}

interface FramedProps {
  html: string;
  label: string;
  className: string;
}

function Framed({ html, label, className }: FramedProps) {
  const isDark = document.documentElement.classList.contains("dark");
  const page = useMemo(() => framedPage(html, isDark), [html, isDark]);
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    // A click moves the focus into the frame, whose keys do not reach us: Escape would not close the dialog.
    const takeBack = () =>
      setTimeout(() => {
        const element = frame.current;
        if (!element || document.activeElement !== element || !element.matches(":hover")) return;
        element.closest<HTMLElement>("[role=dialog]")?.focus({ preventScroll: true });
      });
    addEventListener("blur", takeBack);
    return () => removeEventListener("blur", takeBack);
  }, []);
  return (
    <iframe
      ref={frame}
      title={label}
      sandbox=""
      referrerPolicy="no-referrer"
      srcDoc={page}
      className={classes("w-full border-0", className)}
    />
  );
}

/** The first rows, for a small preview. */
function SmallTable({ table }: { table: TableOutput }) {
  const columns = table.columns
    .slice(0, small.columns)
    .map((column, at) => ({ ...columnFormat(table, at), column, at }));
  return (
    <div className="flex flex-col gap-1">
      {/* Columns that do not fit fade out at the right. */}
      <div className="overflow-hidden mask-r-from-[calc(100%-1.25rem)]">
        <table className="text-left text-2xs">
          <thead>
            <tr>
              {columns.map(({ column, at, isNumber }) => (
                <th
                  key={at}
                  scope="col"
                  className={classes("pr-3 pb-0.5 font-semibold whitespace-nowrap", isNumber ? "text-right" : null)}
                >
                  {oneLine(column.name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.slice(0, small.rows).map((row, number) => (
              // oxlint-disable-next-line react/no-array-index-key -- there is no other key
              <tr key={number}>
                {columns.map(({ at, isNumber, format }) => (
                  <td
                    key={at}
                    className={classes(
                      "max-w-32 truncate border-t border-line py-0.5 pr-3",
                      isNumber ? "text-right tabular-nums" : null,
                    )}
                  >
                    {oneLine(format(row[at]))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="truncate text-2xs text-ink-faint">{tableSize(table)}</p>
    </div>
  );
}

function Chart({ values, label, small }: { values: readonly number[]; label: string; small: boolean }) {
  const [width, height] = [240, small ? 72 : 120];
  const shown = values.slice(0, 5_000);
  const line = (
    <svg
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- it is a drawing, not a file
      role="img"
      aria-label={label}
      viewBox={`-2 -2 ${width + 4} ${height + 4}`}
      className="w-full max-w-xl min-w-0 text-accent"
    >
      {small ? null : <path d={`M0 0H${width}M0 ${height}H${width}`} className="stroke-line" strokeWidth="0.5" />}
      <polyline
        points={chartPoints(shown, width, height)}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinejoin="round"
      />
    </svg>
  );
  if (small) return line;
  const known = shown.filter(Number.isFinite);
  return (
    <figure className="flex max-w-xl min-w-0 flex-col gap-1 text-xs text-ink-faint tabular-nums">
      <div className="flex min-w-0 gap-2">
        <div className="flex shrink-0 flex-col justify-between text-right">
          <span>{known.length > 0 ? formatNumber(Math.max(...known)) : null}</span>
          <span>{known.length > 0 ? formatNumber(Math.min(...known)) : null}</span>
        </div>
        {line}
      </div>
      <figcaption>{values.length.toLocaleString()} values</figcaption>
    </figure>
  );
}
