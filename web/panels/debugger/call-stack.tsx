import { useState } from "react";
import { useNavigate } from "react-router";

import type { StackFrame } from "@miranda/contract/schemas/processors.ts";

import { useGraph } from "../../providers/object-provider.tsx";
import { useDebugger, useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { classes } from "../../ui/classes.ts";
import { counted } from "../../ui/counted.ts";
import { oneLine } from "../../ui/text/drawable-text.ts";

interface Numbered extends StackFrame {
  at: number;
}

/** The call stack, innermost frame first. Library frames between node frames are folded. */
export function CallStack() {
  const stack = useProcessorState(({ debugging }) => debugging.stop?.stack) ?? none;
  const groups = groupsOf(stack);
  if (stack.length === 0) return <p className="px-3 py-2 text-sm text-ink-faint">Nothing to show.</p>;
  return (
    <ul className="min-h-0 flex-1 overflow-auto px-1 py-0.5 text-sm">
      {groups.map((frames) =>
        frames[0]?.wob_key === null ? (
          <LibraryFrames key={frames[0].at} frames={frames} />
        ) : (
          frames.map((frame) => <Frame key={frame.at} frame={frame} />)
        ),
      )}
    </ul>
  );
}

const none: readonly StackFrame[] = [];

/** Groups consecutive frames of one kind: nodes or libraries. */
function groupsOf(stack: readonly StackFrame[]): Numbered[][] {
  const groups: Numbered[][] = [];
  for (const [at, frame] of stack.entries()) {
    const last = groups.at(-1);
    const isAlike = last?.[0] && (last[0].wob_key === null) === (frame.wob_key === null);
    if (isAlike) last.push({ ...frame, at });
    else groups.push([{ ...frame, at }]);
  }
  return groups;
}

function LibraryFrames({ frames }: { frames: readonly Numbered[] }) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return frames.map((frame) => <Frame key={frame.at} frame={frame} />);
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

function Frame({ frame: { at, wob_key, line_number, funcname, file } }: { frame: Numbered }) {
  const { debug, projectId, graphId } = useProcessor();
  const chosen = useDebugger((state) => state.frame);
  const isViewOnly = useGraph((view) => view.viewOnly);
  const name = useGraph((view) => (wob_key === null ? undefined : view.resolved.content.nodes[wob_key]?.name));
  const navigate = useNavigate();
  const place = wob_key === null ? file : (name ?? `Node ${wob_key}`);
  const choose = () => {
    if (!isViewOnly) debug.chooseFrame(at);
    const code = `/designer/projects/${projectId}/graphs/${graphId}/code`;
    // Only from code to code: on the canvas the graph stays in view.
    if (wob_key !== null && location.pathname.startsWith(code)) void navigate(`${code}/${wob_key}?line=${line_number}`);
  };
  return (
    <li>
      <button
        type="button"
        aria-current={at === chosen ? "true" : undefined}
        onClick={choose}
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
