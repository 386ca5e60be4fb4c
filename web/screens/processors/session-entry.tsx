import { useQueryClient } from "@tanstack/react-query";
import { Copy, EllipsisVertical, FolderOpen, Square } from "lucide-react";
import { memo } from "react";
import { Link } from "react-router";

import type { WorkflowState } from "@miranda/contract/processor.ts";
import type { Job } from "@miranda/contract/schemas/processors.ts";
import type { RunState } from "@miranda/contract/run-states.ts";
import type { SessionGroup } from "@miranda/contract/sessions.ts";
import { sessionFigures } from "../../format/usage.ts";

import { putJob } from "../../api/jobs/jobs.ts";
import { messageOf } from "../../message-of.ts";
import { Money, MoneyShown } from "../../panels/money.tsx";
import { IdleNotice } from "../../panels/processor/idle-notice.tsx";
import { SessionIcon } from "../../panels/processor/session-icon.tsx";
import { RelativeTime } from "../../shell/relative-time.tsx";
import { classes } from "../../ui/classes.ts";
import { writeClipboard } from "../../ui/copy-button.tsx";
import { Dropdown, DropdownItem } from "../../ui/overlay/dropdown.tsx";
import { toast } from "../../ui/overlay/toast.ts";

interface SessionEntryProps {
  job: Job;
  group: SessionGroup;
  /** Also shows that a stop was asked for. */
  state: WorkflowState;
  isChosen: boolean;
  onStop: (id: string) => Promise<void>;
}

/** One session in the list. Scrolling changes which entries exist, not their content. */
export const SessionEntry = memo(function SessionEntry({ job, group, state, isChosen, onStop }: SessionEntryProps) {
  const isQueued = group === "queued";
  const client = useQueryClient();
  const mayStop = group === "running" && state !== "KILLING";
  return (
    <div
      data-testid="session"
      data-id={job.id}
      data-state={state}
      className={classes("relative flex gap-2.5 rounded-lg px-2 py-2", isChosen ? "bg-accent-soft" : "hover:bg-hover")}
    >
      <SessionIcon state={state} className="mt-0.5" />
      <div className="min-w-0 flex-1">
        <div className="flex items-baseline gap-2">
          <Link
            to={`/designer/processors/${job.id}`}
            aria-current={isChosen ? "page" : undefined}
            // The whole entry is the link; the menu lies above it.
            className="min-w-0 flex-1 truncate font-medium after:absolute after:inset-0 after:rounded-lg focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-(--ring)"
          >
            {job.name}
          </Link>
          <span className="shrink-0 text-xs text-ink-faint">
            <RelativeTime time={job.time_created} />
          </span>
        </div>
        {isQueued ? null : <Figures job={job} />}
        {job.last_run ? <BadRun run={job.last_run} /> : null}
        {mayStop ? (
          <IdleNotice job={job} mayKeep onKept={(kept) => putJob(client, kept)} className="relative z-1 mt-1.5" />
        ) : null}
      </div>
      {isQueued ? null : <Menu job={job} onStop={mayStop ? () => void onStop(job.id) : undefined} />}
    </div>
  );
});

const badRuns: Partial<Record<RunState, string>> = {
  failed: "The last run failed",
  crashed: "The last run crashed",
  lost: "The last run was lost",
};

/** Says that the last run ended badly, and leads to it. */
function BadRun({ run: { id, state } }: { run: NonNullable<Job["last_run"]> }) {
  const words = badRuns[state];
  if (words === undefined) return null;
  return (
    <Link
      to={`/designer/runs/${id}`}
      className="relative z-1 mt-0.5 inline-block rounded-sm text-xs text-danger-text hover:underline"
    >
      {words}
    </Link>
  );
}

function Figures({ job }: { job: Job }) {
  const { coreHours, ramGbHours, networkGb } = sessionFigures(job);
  return (
    <ul aria-label="Use" className="mt-0.5 flex flex-wrap gap-x-3 text-xs text-ink-muted tabular-nums">
      <MoneyShown>
        <li aria-label="Cost">
          <Money amount={job.total_cost ?? 0} digits="cents" />
        </li>
      </MoneyShown>
      <li title="CPU, in core-hours">{coreHours} Ch</li>
      <li title="RAM, in gigabyte-hours">{ramGbHours} GBh</li>
      <li title="Network, received and sent">{networkGb} GB</li>
    </ul>
  );
}

function Menu({ job, onStop }: { job: Job; onStop: (() => void) | undefined }) {
  return (
    <Dropdown
      trigger={
        <button
          type="button"
          aria-label={`Menu of ${job.name}`}
          className="relative z-1 grid size-7 shrink-0 place-items-center rounded-md text-ink-muted transition-colors hover:bg-hover hover:text-ink"
        >
          <EllipsisVertical className="size-4" aria-hidden="true" />
        </button>
      }
    >
      {job.graph ? (
        <DropdownItem asChild>
          <Link to={`/designer/projects/${job.graph.project_id}/graphs/${job.graph.graph_id}`}>
            <FolderOpen className="size-4" aria-hidden="true" />
            Go to Project
          </Link>
        </DropdownItem>
      ) : null}
      <DropdownItem onSelect={() => void copyId(job.id)}>
        <Copy className="size-4" aria-hidden="true" />
        Copy session ID
      </DropdownItem>
      {onStop ? (
        <DropdownItem danger onSelect={onStop}>
          <Square className="size-4" aria-hidden="true" />
          Force Stop
        </DropdownItem>
      ) : null}
    </Dropdown>
  );
}

async function copyId(id: string): Promise<void> {
  try {
    await writeClipboard(id);
    toast.success("Copied.");
  } catch (cause) {
    toast.error(messageOf(cause));
  }
}
