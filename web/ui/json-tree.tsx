import { ChevronRight } from "lucide-react";
import { type ReactNode, useEffect, useMemo, useState } from "react";

import { isRecord } from "../is-record.ts";
import { messageOf } from "../message-of.ts";
import { classes } from "./classes.ts";
import { formatNumber } from "./output/number-format.ts";
import { oneLine, startOf } from "./text/drawable-text.ts";
import { LongText } from "./text/long-text.tsx";

export interface JsonTreeLimits {
  /** Longer strings are cut until the person asks for the rest. */
  stringCollapse: number;
  /** Objects with more items start closed. */
  objectCollapse: number;
  /** Longer arrays are shown in parts of this size. */
  arrayChunk: number;
  /** Shortens numbers, for example to 0.833. A tooltip shows the exact number. */
  plainNumbers?: boolean;
}

/** A place where the value is incomplete. */
interface TreeCut {
  path: readonly (string | number)[];
  size: number;
  shown: number;
  reference: number;
  text: boolean;
}

/** A fetched part of a value that was cut: entries, or a part of a long text. */
interface TreePart {
  entries: readonly (readonly [string, unknown])[];
  text: string | null;
  cuts: readonly TreeCut[];
}

/** Where the value was cut, and how to fetch the rest. */
export interface TreeRest {
  cuts: readonly TreeCut[];
  unfold: (reference: number, from: number) => Promise<TreePart>;
}

interface JsonTreeProps {
  value: unknown;
  limits: JsonTreeLimits;
  label: string;
  rest?: TreeRest | undefined;
}

/** What every branch needs. Cuts are found by their path, as JSON. */
interface Context {
  limits: JsonTreeLimits;
  cuts: ReadonlyMap<string, TreeCut>;
  unfold: TreeRest["unfold"] | undefined;
}

/** A tree for any JSON value. Closed branches are not rendered, and cut values are fetched when they are opened. */
export function JsonTree({ value, limits, label, rest }: JsonTreeProps) {
  const context = useMemo(() => contextOf(limits, rest?.cuts ?? [], rest?.unfold), [limits, rest]);
  const cut = context.cuts.get("[]");
  const isTree = isContainer(value) || (cut !== undefined && !cut.text);
  const parts = isTree ? partsOf(value, [], cut, limits) : [];
  // A tree without items is announced as broken.
  if (isTree && parts.length === 0) return <p className="font-mono text-sm leading-5 text-ink-faint">Nothing</p>;
  return (
    <ul role="tree" aria-label={label} className="font-mono text-sm leading-5">
      {parts.map((part) => (
        <Branch key={part.name} part={part} context={context} depth={1} />
      ))}
      {isTree ? null : (
        <li role="treeitem" aria-selected={false}>
          <Leaf value={value} cut={cut} context={context} />
        </li>
      )}
    </ul>
  );
}

function contextOf(limits: JsonTreeLimits, cuts: readonly TreeCut[], unfold: TreeRest["unfold"] | undefined): Context {
  return { limits, unfold, cuts: new Map(cuts.map((cut) => [JSON.stringify(cut.path), cut])) };
}

/** One line of the tree: a named value, or a range of a long list, loaded or not. */
type Part =
  | { kind: "value"; name: string; value: unknown; path: readonly (string | number)[] }
  | { kind: "range"; name: string; parts: () => readonly Part[] }
  | { kind: "rest"; name: string; reference: number; from: number };

interface BranchProps {
  part: Part;
  context: Context;
  depth: number;
}

const deepestOpen = 2;

function Branch({ part, context, depth }: BranchProps) {
  const { limits, cuts } = context;
  if (part.kind === "range")
    return (
      <Fold name={part.name} summary="" isOpenAtFirst={false}>
        {() => part.parts().map((one) => <Branch key={one.name} part={one} context={context} depth={depth + 1} />)}
      </Fold>
    );
  if (part.kind === "rest")
    return (
      <Fold name={part.name} summary="" isOpenAtFirst={false}>
        {() => <Fetched {...part} context={context} depth={depth} />}
      </Fold>
    );
  const { name, value, path } = part;
  const cut = cuts.get(JSON.stringify(path));
  const size = cut && !cut.text ? cut.size : sizeOf(value);
  if (size === 0) {
    return (
      <li role="treeitem" aria-selected={false} className="flex gap-2 pl-5">
        <span className="shrink-0 text-accent-text">{oneLine(name)}:</span>
        <Leaf value={value} cut={cut} context={context} />
      </li>
    );
  }
  const isOpen = isContainer(value) && size <= limits.objectCollapse && depth < deepestOpen;
  return (
    <Fold name={`${oneLine(name)}:`} summary={summaryOf(value, size)} isOpenAtFirst={isOpen}>
      {() => {
        const parts = partsOf(value, path, cut, limits);
        const [only] = parts;
        // A rest that is fetched in one piece needs no line of its own.
        if (parts.length === 1 && only?.kind === "rest") return <Fetched {...only} context={context} depth={depth} />;
        return parts.map((one) => <Branch key={one.name} part={one} context={context} depth={depth + 1} />);
      }}
    </Fold>
  );
}

interface FoldProps {
  name: string;
  summary: string;
  isOpenAtFirst: boolean;
  children: () => ReactNode;
}

function Fold({ name, summary, isOpenAtFirst, children }: FoldProps) {
  const [open, setOpen] = useState(isOpenAtFirst);
  return (
    <li role="treeitem" aria-expanded={open} aria-selected={false}>
      <button
        type="button"
        onClick={() => setOpen(!open)}
        className="flex max-w-full items-center gap-1 rounded-sm pr-1 text-left hover:bg-hover"
      >
        <ChevronRight
          className={classes("size-4 shrink-0 text-ink-faint transition-transform", open ? "rotate-90" : null)}
          aria-hidden="true"
        />
        <span className="text-accent-text">{name}</span>
        <span className="truncate text-ink-faint">{summary}</span>
      </button>
      {open ? (
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a group of tree items
        <ul role="group" className="ml-2 border-l border-line pl-1">
          {children()}
        </ul>
      ) : null}
    </li>
  );
}

function Fetched({ reference, from, context, depth }: { reference: number; from: number } & Omit<BranchProps, "part">) {
  const { limits, unfold } = context;
  const [found, setFound] = useState<{ parts: Part[]; context: Context } | { error: string }>();
  useEffect(() => {
    let isOver = false;
    unfold?.(reference, from).then(
      ({ entries, cuts }) => {
        const parts = entries.map(([name, value], at): Part => ({ kind: "value", name, value, path: [at] }));
        if (!isOver) setFound({ parts, context: contextOf(limits, cuts, unfold) });
      },
      (cause: unknown) => {
        if (!isOver) setFound({ error: messageOf(cause) });
      },
    );
    return () => {
      isOver = true;
    };
  }, [reference, from, limits, unfold]);
  if (!found) return <li className="pl-5 text-ink-faint">Loading…</li>;
  if ("error" in found) return <li className="pl-5 font-sans text-danger-text">{found.error}</li>;
  if (found.parts.length === 0) return <li className="pl-5 text-ink-faint">Nothing</li>;
  return found.parts.map((one) => <Branch key={one.name} part={one} context={found.context} depth={depth + 1} />);
}

interface LeafProps {
  value: unknown;
  cut: TreeCut | undefined;
  context: Context;
}

function Leaf({ value, cut, context: { limits, unfold } }: LeafProps): ReactNode {
  const [whole, setWhole] = useState(false);
  const [more, setMore] = useState("");
  if (typeof value === "string") {
    const text = value + more;
    const size = cut?.text ? cut.size : value.length;
    const isCut = value.length > limits.stringCollapse && !whole;
    const left = size - (isCut ? limits.stringCollapse : text.length);
    const show = () => {
      if (isCut) setWhole(true);
      else if (cut) unfold?.(cut.reference, text.length).then((part) => setMore(more + (part.text ?? "")), setFailed);
    };
    const setFailed = () => setMore(`${more}…`);
    return (
      <span className="min-w-0 break-words whitespace-pre-wrap text-success-text">
        "{isCut ? startOf(value, limits.stringCollapse) : <LongText text={text} />}
        {left > 0 ? (
          <button
            type="button"
            onClick={show}
            className="mx-0.5 rounded-sm bg-hover px-1 text-ink-muted hover:text-ink"
          >
            …{left} more
          </button>
        ) : null}
        "
      </span>
    );
  }
  if (value === null || value === undefined) return <span className="text-ink-faint">null</span>;
  if (typeof value === "object") return <span className="text-ink-faint">{Array.isArray(value) ? "[]" : "{}"}</span>;
  const colour = typeof value === "boolean" ? "text-warning-text" : "text-info-text";
  const exact = JSON.stringify(value);
  const isPlain = limits.plainNumbers === true && typeof value === "number";
  return (
    <span className={classes("tabular-nums", colour)} title={isPlain ? exact : undefined}>
      {isPlain ? formatNumber(value) : exact}
    </span>
  );
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isContainer(value) ? Object.keys(value).length : 0;
}

function summaryOf(value: unknown, size: number): string {
  if (Array.isArray(value)) return `[${size}]`;
  // A value that is nested too deeply is described by text.
  if (!isRecord(value)) return value === "…" ? `${size} items` : oneLine(String(value));
  // A value under an empty key describes the whole.
  const { "": whole } = value;
  return typeof whole === "string" ? oneLine(whole) : `{${size}}`;
}

function partsOf(
  value: unknown,
  path: readonly (string | number)[],
  cut: TreeCut | undefined,
  { arrayChunk }: JsonTreeLimits,
): Part[] {
  const parts = cut && !cut.text ? restOf(cut, arrayChunk) : [];
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, at): Part => ({
      kind: "value",
      name: String(at),
      value: item,
      path: [...path, at],
    }));
    if (items.length <= arrayChunk && parts.length === 0) return items;
    return [...rangesOf(items, arrayChunk), ...parts];
  }
  if (!isRecord(value)) return parts;
  const shown = Object.entries(value)
    .filter(([name, item]) => name !== "" || typeof item !== "string")
    .map(([name, item]): Part => ({ kind: "value", name, value: item, path: [...path, name] }));
  return [...shown, ...parts];
}

function rangesOf(items: readonly Part[], size: number): Part[] {
  const ranges: Part[] = [];
  for (let from = 0; from < items.length; from += size) {
    const parts = items.slice(from, from + size);
    ranges.push({ kind: "range", name: rangeName(from, parts.length), parts: () => parts });
  }
  return ranges;
}

const maxRanges = 100;

/** Splits a very long list into ranges of ranges: nobody reads ten thousand lines. */
function restOf({ reference, shown, size }: Pick<TreeCut, "reference" | "shown" | "size">, chunk: number): Part[] {
  let span = chunk;
  while ((size - shown) / span > maxRanges) span *= maxRanges;
  const rest: Part[] = [];
  for (let from = shown; from < size; from += span) {
    const end = Math.min(from + span, size);
    const name = rangeName(from, end - from);
    if (span === chunk) rest.push({ kind: "rest", name, reference, from });
    else rest.push({ kind: "range", name, parts: () => restOf({ reference, shown: from, size: end }, chunk) });
  }
  return rest;
}

function rangeName(from: number, count: number): string {
  return `[${from} … ${from + count - 1}]`;
}
