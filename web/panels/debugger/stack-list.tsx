import { Fragment, useState } from "react";

import type { StackFrame } from "@miranda/contract/schemas/processors.ts";

import { classes } from "../../ui/classes.ts";
import { counted } from "../../ui/counted.ts";
import { oneLine } from "../../ui/text/drawable-text.ts";

interface CrashFrame extends StackFrame {
  /** The class of an earlier exception, when this is one of its frames. */
  cause?: string;
}

interface Numbered extends CrashFrame {
  at: number;
}

interface StackListProps {
  stack: readonly CrashFrame[];
  /** The frame whose variables are shown. */
  chosen: number | undefined;
  nameOf: (node: number) => string | undefined;
  onChoose: (frame: StackFrame, at: number) => void;
}

/** A call stack, innermost frame first. Library frames between node frames are folded. */
export function StackList({ stack, ...rest }: StackListProps) {
  if (stack.length === 0) return <p className="px-3 py-2 text-sm text-ink-faint">Nothing to show.</p>;
  return (
    <ul className="min-h-0 flex-1 overflow-auto px-1 py-0.5 text-sm">
      {groupsOf(stack).map((frames) => (
        <Fragment key={frames[0]?.at}>
          <Cause frames={frames} stack={stack} />
          {frames[0]?.wob_key === null ? (
            <LibraryFrames frames={frames} {...rest} />
          ) : (
            frames.map((frame) => <Frame key={frame.at} frame={frame} {...rest} />)
          )}
        </Fragment>
      ))}
    </ul>
  );
}

/** Before the frames of an exception that led to the one above. */
function Cause({ frames: [first], stack }: { frames: readonly Numbered[]; stack: readonly CrashFrame[] }) {
  if (!first?.cause || stack[first.at - 1]?.cause === first.cause) return null;
  return <li className="truncate px-2 pt-1.5 text-xs text-ink-muted">Caused by {oneLine(first.cause)}</li>;
}

/** Groups consecutive frames of one kind, nodes or libraries, and of one exception. */
function groupsOf(stack: readonly CrashFrame[]): Numbered[][] {
  const groups: Numbered[][] = [];
  for (const [at, frame] of stack.entries()) {
    const last = groups.at(-1);
    const isAlike =
      last?.[0] && (last[0].wob_key === null) === (frame.wob_key === null) && last[0].cause === frame.cause;
    if (isAlike) last.push({ ...frame, at });
    else groups.push([{ ...frame, at }]);
  }
  return groups;
}

type Shared = Omit<StackListProps, "stack">;

function LibraryFrames({ frames, ...rest }: Shared & { frames: readonly Numbered[] }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return frames.map((frame) => <Frame key={frame.at} frame={frame} {...rest} />);
  return (
    <li>
      <button
        type="button"
        aria-expanded={false}
        onClick={() => setOpen(true)}
        className="w-full rounded-md px-2 py-0.5 text-left text-ink-faint hover:bg-hover hover:text-ink"
      >
        {counted(frames.length, "library call")}
      </button>
    </li>
  );
}

function Frame({ frame, chosen, nameOf, onChoose }: Shared & { frame: Numbered }) {
  const { at, wob_key, line_number, funcname, file } = frame;
  const place = wob_key === null ? file : (nameOf(wob_key) ?? `Node ${wob_key}`);
  return (
    <li>
      <button
        type="button"
        aria-current={at === chosen ? "true" : undefined}
        onClick={() => onChoose(frame, at)}
        className={classes(
          "flex w-full min-w-0 items-baseline gap-2 rounded-md px-2 py-0.5 text-left hover:bg-hover",
          at === chosen && "bg-accent-soft",
          wob_key === null && "text-ink-faint",
        )}
      >
        <span className="max-w-[60%] truncate font-mono">{oneLine(funcname)}</span>
        <span className="ml-auto min-w-0 truncate text-xs text-ink-muted" title={place}>
          {place}
        </span>
        <span className="shrink-0 text-xs text-ink-muted tabular-nums">{line_number}</span>
      </button>
    </li>
  );
}
