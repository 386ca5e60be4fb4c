import { CircleDot, CircleEqual, MessageSquareText, Pencil, X } from "lucide-react";
import { Link } from "react-router";

import type { Breakpoint } from "@miranda/contract/schemas/processors.ts";

import { useGraph } from "../../providers/object-provider.tsx";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { classes } from "../../ui/classes.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";

/** All breakpoints of the graph. */
export function BreakpointList() {
  const { actions } = useProcessor();
  const breakpoints = useProcessorState((state) => state.debugging.breakpoints);
  const all = Object.values(breakpoints).flatMap((lines) => Object.values(lines));
  if (all.length === 0) return null;
  return (
    <section aria-label="Breakpoints" className="flex flex-col gap-1">
      <div className="flex items-baseline justify-between gap-2 px-1">
        <h2 className="font-semibold">Breakpoints</h2>
        <button
          type="button"
          onClick={() => toastFailure(actions.clearBreakpoints())}
          className="text-sm font-medium text-accent-text hover:underline"
        >
          Clear all
        </button>
      </div>
      <ul>
        {all.map((breakpoint) => (
          <Entry key={`${breakpoint.wobId} ${breakpoint.line}`} breakpoint={breakpoint} />
        ))}
      </ul>
    </section>
  );
}

function Entry({ breakpoint: { wobId, line, triggered, condition, log } }: { breakpoint: Breakpoint }) {
  const { projectId, graphId, actions, debug } = useProcessor();
  const Icon = log ? MessageSquareText : condition ? CircleEqual : CircleDot;
  const name = useGraph((view) => view.resolved.content.nodes[wobId]?.name) ?? `Node ${wobId}`;
  return (
    <li className="group flex items-center gap-2 rounded-md pl-2 hover:bg-hover">
      <Icon className={classes("size-3.5 shrink-0", triggered ? "text-warning" : "text-danger")} aria-hidden="true" />
      <Link
        to={`/designer/projects/${projectId}/graphs/${graphId}/code/${wobId}`}
        className="min-w-0 flex-1 truncate py-1 hover:underline"
      >
        {name}
        {condition || log ? (
          <span className="block truncate font-mono text-xs text-ink-faint">{oneLine(log ?? condition ?? "")}</span>
        ) : null}
      </Link>
      <span className="text-xs text-ink-faint tabular-nums">line {line}</span>
      <IconButton
        icon={Pencil}
        label={`Edit the breakpoint on line ${line} of ${name}`}
        onClick={() => debug.edit(wobId, line)}
        className="size-7"
      />
      <IconButton
        icon={X}
        label={`Remove the breakpoint on line ${line} of ${name}`}
        onClick={() => toastFailure(actions.removeBreakpoint(wobId, line))}
        className="size-7"
      />
    </li>
  );
}
