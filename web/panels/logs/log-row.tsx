import { memo, type ReactNode } from "react";
import { Link } from "react-router";

import { logLevels } from "@miranda/contract/limits.ts";

import { classes } from "../../ui/classes.ts";
import { startOf } from "../../ui/text/drawable-text.ts";
import { ansiSpans, type Span } from "./ansi.ts";
import type { LogRow } from "./log-view.ts";

/** A longer line is cut, because drawing it is slow. Copying and downloading give it whole. */
const shownCharacters = 4_000;

const row = "group/line h-5 overflow-hidden border-l-3 leading-5 whitespace-pre [contain:style]";

const unknownLook = { name: "", row: `${row} border-transparent` };
const looks: Record<number, { name: string; row: string }> = {
  [logLevels.DEFAULT]: unknownLook,
  [logLevels.INFO]: { name: "info", row: `${row} border-info` },
  [logLevels.WARNING]: { name: "warn", row: `${row} border-warning bg-warning-soft text-warning-text` },
  [logLevels.ERROR]: { name: "error", row: `${row} border-danger bg-danger-soft text-danger-text` },
  [logLevels.DEBUG]: { name: "debug", row: `${row} border-line-strong text-ink-muted` },
};

/** Links from a log line to its node. */
export interface Jump {
  nameOf: (node: number) => string | undefined;
  /** The address of the node's code. */
  codePath: (node: number) => string;
  /** Brings the node into view; undefined where there is no canvas. */
  reveal: ((node: number) => void) | undefined;
}

interface RowProps extends Pick<LogRow, "text" | "tag" | "continues" | "node"> {
  /** Undefined when it is not shown. */
  time: number | undefined;
  jump: Jump | undefined;
}

// Few elements, and no classes that change often: a frame draws about sixty of these.
export const LogLine = memo(function LogLine({ text, tag, time, continues, node, jump }: RowProps) {
  const look = looks[tag] ?? unknownLook;
  return (
    <div data-testid="log-line" data-level={tag} data-entry={continues ? undefined : "start"} className={look.row}>
      {time === undefined ? null : (
        <time className="inline-block w-26 pl-2 text-ink-faint select-none">{clock(time)}</time>
      )}
      <span className="inline-block w-14 pl-2 align-top text-2xs leading-5 font-medium uppercase select-none">
        {continues ? "" : look.name}
      </span>
      {content(text, jump?.codePath)}
      {jump && node !== 0 ? <Printer node={node} jump={jump} /> : null}
    </div>
  );
});

/** The node that printed a line, shown on hover. Its name is not text, so that it is not copied with the line. */
function Printer({ node, jump }: { node: number; jump: Jump }) {
  const name = jump.nameOf(node) ?? `Node ${node}`;
  const shared = {
    "aria-label": `Go to ${name}`,
    "data-name": name,
    className:
      "sticky right-2 float-right mr-2 hidden max-w-48 truncate rounded-sm bg-raised px-1.5 font-sans text-2xs leading-5 font-medium text-accent-text shadow-low group-hover/line:inline-block after:content-[attr(data-name)] hover:underline",
  };
  return jump.reveal ? (
    <button type="button" {...shared} onClick={() => jump.reveal?.(node)} />
  ) : (
    <Link to={jump.codePath(node)} {...shared} />
  );
}

function content(text: string, codePath: Jump["codePath"] | undefined): ReactNode {
  const shown = startOf(text, shownCharacters);
  const place = codePath && nodeIn(shown);
  if (shown === text && place === undefined && !text.includes("\u001B")) return text;
  return (
    <>
      {ansiSpans(shown).map((span, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- there is no other key
        <Styled key={at} {...span} />
      ))}
      {place ? (
        <Link
          to={codePath(place)}
          className="ml-3 rounded-sm bg-hover px-1.5 font-sans text-2xs font-medium text-accent-text hover:underline"
        >
          Go to node
        </Link>
      ) : null}
      {text.length <= shownCharacters ? null : (
        <span className="ml-1 rounded-sm bg-hover px-1 text-ink-faint">
          … {text.length - shownCharacters} more characters
        </span>
      )}
    </>
  );
}

/** A traceback names a node's code `<name 12>`. */
function nodeIn(text: string): number | undefined {
  const match = text.includes('File "<') ? /File "<.* (\d+)>", line \d+/.exec(text) : null;
  return match ? Number(match[1]) : undefined;
}

const colours = [
  "text-ink-muted",
  "text-danger-text",
  "text-success-text",
  "text-warning-text",
  "text-info-text",
  "text-[oklch(0.55_0.19_320)] dark:text-[oklch(0.78_0.13_320)]",
  "text-accent-text",
  "text-ink",
] as const;

const backgrounds = [
  "bg-sunken",
  "bg-danger-soft",
  "bg-success-soft",
  "bg-warning-soft",
  "bg-info-soft",
  "bg-[oklch(0.95_0.03_320)] dark:bg-[oklch(0.3_0.07_320)]",
  "bg-accent-soft",
  "bg-line",
] as const;

function Styled({ text, colour, background, bold, dim, italic, underline }: Span) {
  const isPlain = colour === undefined && background === undefined && !bold && !dim && !italic && !underline;
  if (isPlain) return text;
  return (
    <span
      className={classes(
        typeof colour === "number" && colours[colour % 8],
        typeof background === "number" && backgrounds[background % 8],
        bold && "font-bold",
        dim && "opacity-60",
        italic && "italic",
        underline && "underline",
      )}
      style={{
        ...(typeof colour === "string" && { color: colour }),
        ...(typeof background === "string" && { backgroundColor: background }),
      }}
    >
      {text}
    </span>
  );
}

function clock(time: number): string {
  if (Number.isNaN(time)) return "";
  const at = new Date(time);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, "0")}`;
}
