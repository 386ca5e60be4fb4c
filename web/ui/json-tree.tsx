import { ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";

import { classes } from "./classes.ts";
import { plainNumber } from "./output/number-words.ts";
import { oneLine, startOf } from "./text/drawable-text.ts";
import { LongText } from "./text/long-text.tsx";

export interface JsonTreeLimits {
  /** Longer strings are cut until somebody asks for the rest. */
  stringCollapse: number;
  /** Objects with more items start closed. */
  objectCollapse: number;
  /** Longer arrays come in parts of this size. */
  arrayChunk: number;
  /** Numbers as people read them: 0.833. Pointed at, they are exact. */
  plainNumbers?: boolean;
}

interface JsonTreeProps {
  value: unknown;
  limits: JsonTreeLimits;
  label: string;
}

/** Any JSON value, to open and close. What is closed is not on the page. */
export function JsonTree({ value, limits, label }: JsonTreeProps) {
  const entries = childrenOf(value, limits);
  return (
    <ul role="tree" aria-label={label} className="font-mono text-sm leading-5">
      {entries ? (
        entries.map((entry) => <Branch key={entry.name} {...entry} limits={limits} depth={1} />)
      ) : (
        <li role="treeitem" aria-selected={false}>
          <Leaf value={value} limits={limits} />
        </li>
      )}
      {entries?.length === 0 ? <li className="text-ink-faint">Nothing</li> : null}
    </ul>
  );
}

interface Entry {
  name: string;
  value: unknown;
  /** A part of an array: where it starts. */
  offset?: number | undefined;
}

interface BranchProps extends Entry {
  limits: JsonTreeLimits;
  depth: number;
}

const deepestOpen = 2;

function Branch({ name, value, offset, limits, depth }: BranchProps) {
  const size = sizeOf(value);
  const isPart = offset !== undefined;
  const [open, setOpen] = useState(() => !isPart && size <= limits.objectCollapse && depth < deepestOpen);
  const children = open ? childrenOf(value, limits, offset) : undefined;

  if (!isContainer(value) || size === 0) {
    return (
      <li role="treeitem" aria-selected={false} className="flex gap-2 pl-5">
        <span className="shrink-0 text-accent-text">{oneLine(name)}:</span>
        <Leaf value={value} limits={limits} />
      </li>
    );
  }
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
        <span className="text-accent-text">{isPart ? name : `${oneLine(name)}:`}</span>
        <span className="truncate text-ink-faint">{isPart ? "" : summaryOf(value, size)}</span>
      </button>
      {children ? (
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a group of tree items
        <ul role="group" className="ml-2 border-l border-line pl-1">
          {children.map((child) => (
            <Branch key={child.name} {...child} limits={limits} depth={depth + 1} />
          ))}
        </ul>
      ) : null}
    </li>
  );
}

function Leaf({ value, limits }: { value: unknown; limits: JsonTreeLimits }): ReactNode {
  const [whole, setWhole] = useState(false);
  if (typeof value === "string") {
    const isCut = value.length > limits.stringCollapse && !whole;
    return (
      <span className="min-w-0 break-words whitespace-pre-wrap text-success-text">
        "{isCut ? startOf(value, limits.stringCollapse) : <LongText text={value} />}
        {isCut ? (
          <button
            type="button"
            onClick={() => setWhole(true)}
            className="mx-0.5 rounded-sm bg-hover px-1 text-ink-muted hover:text-ink"
          >
            …{value.length - limits.stringCollapse} more
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
      {isPlain ? plainNumber(value) : exact}
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

function summaryOf(value: object, size: number): string {
  if (Array.isArray(value)) return `[${size}]`;
  // What stands under no name at all says what the whole is.
  const { "": whole } = value as Record<string, unknown>;
  return typeof whole === "string" ? oneLine(whole) : `{${size}}`;
}

function childrenOf(value: unknown, limits: JsonTreeLimits, offset?: number): Entry[] | undefined {
  if (Array.isArray(value)) {
    const items = value as unknown[];
    if (offset === undefined && items.length > limits.arrayChunk) return partsOf(items, limits.arrayChunk);
    return items.map((item, at) => ({ name: String((offset ?? 0) + at), value: item }));
  }
  if (!isContainer(value)) return undefined;
  return Object.entries(value)
    .filter(([name, item]) => name !== "" || typeof item !== "string")
    .map(([name, item]) => ({ name, value: item as unknown }));
}

function partsOf(items: unknown[], size: number): Entry[] {
  const parts: Entry[] = [];
  for (let from = 0; from < items.length; from += size) {
    const part = items.slice(from, from + size);
    parts.push({ name: `[${from} … ${from + part.length - 1}]`, value: part, offset: from });
  }
  return parts;
}
