import { ChevronDown, CirclePause, CirclePlay, Ellipsis, Play } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";

import type { Schedule } from "@miranda/contract/schemas/deployments/schedules.ts";

import { useScheduleActions } from "../../../api/deployments/schedules.ts";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { classes } from "../../../ui/classes.ts";
import { ConfirmDialog } from "../../../ui/overlay/confirm-dialog.tsx";
import { Dropdown, DropdownItem, DropdownSeparator } from "../../../ui/overlay/dropdown.tsx";
import { toastFailure } from "../../../ui/overlay/toast-failure.ts";
import { toast } from "../../../ui/overlay/toast.ts";
import { oneLine } from "../../../ui/text/drawable-text.ts";
import { CallBadge } from "./call-badge.tsx";
import { NextTimes } from "./next-times.tsx";
import { ScheduleTicks } from "./schedule-ticks.tsx";
import { ownTime, timeIn } from "./time-words.ts";

interface ScheduleRowProps {
  graphId: string;
  schedule: Schedule;
  /** Others can only look. */
  mayChange: boolean;
  onEdit: () => void;
}

export function ScheduleRow({ graphId, schedule, mayChange, onEdit }: ScheduleRowProps) {
  const { run, change, remove } = useScheduleActions(graphId);
  const [isOpen, setOpen] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const [busy, setBusy] = useState<"run" | "pause" | null>(null);
  const { id, paused, name } = schedule;

  async function doing(what: "run" | "pause", work: () => Promise<void>): Promise<void> {
    setBusy(what);
    try {
      await work();
    } finally {
      setBusy(null);
    }
  }

  const runNow = () =>
    doing("run", async () => {
      await run(id);
      toast.success(`A call was made for ${oneLine(name)}.`);
    });

  return (
    <li className="rounded-lg border border-line bg-surface" data-testid="schedule">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-3 p-4">
        <div className="flex min-w-0 flex-1 basis-72 flex-col gap-1">
          <div className="flex min-w-0 items-center gap-2">
            <h3 dir="auto" className="truncate font-semibold">
              {oneLine(name)}
            </h3>
            {paused ? <Badge tone={schedule.paused_reason === "" ? "neutral" : "danger"}>Paused</Badge> : null}
            {schedule.channel === "staging" ? <Badge tone="info">Staging</Badge> : null}
          </div>
          <p>{schedule.sentence}</p>
          <Facts schedule={schedule} />
        </div>
        {mayChange ? (
          <div className="flex items-center gap-2">
            <Button
              size="sm"
              busy={busy === "run"}
              aria-label={`Run now: ${name}`}
              onClick={() => toastFailure(runNow())}
            >
              <Play className="size-3.5" aria-hidden="true" />
              Run now
            </Button>
            <Button
              size="sm"
              busy={busy === "pause"}
              aria-label={`${paused ? "Resume" : "Pause"} ${name}`}
              onClick={() => toastFailure(doing("pause", () => change(id, { paused: !paused })))}
            >
              {paused ? (
                <CirclePlay className="size-3.5" aria-hidden="true" />
              ) : (
                <CirclePause className="size-3.5" aria-hidden="true" />
              )}
              {paused ? "Resume" : "Pause"}
            </Button>
            <Dropdown
              trigger={
                <Button size="sm" variant="ghost" aria-label={`More for ${name}`} className="px-1.5">
                  <Ellipsis className="size-4" aria-hidden="true" />
                </Button>
              }
            >
              <DropdownItem onSelect={onEdit}>Edit</DropdownItem>
              <DropdownSeparator />
              <DropdownItem danger onSelect={() => setAsking(true)}>
                Delete
              </DropdownItem>
            </Dropdown>
          </div>
        ) : null}
      </div>
      <div className="border-t border-line px-2 py-1.5">
        <Button
          size="sm"
          variant="ghost"
          aria-expanded={isOpen}
          aria-label={`Times of ${name}`}
          onClick={() => setOpen(!isOpen)}
        >
          Times
          <ChevronDown
            className={classes("size-3.5 transition-transform", isOpen ? "rotate-180" : null)}
            aria-hidden="true"
          />
        </Button>
        {isOpen ? (
          <div className="grid gap-5 px-2.5 pt-2 pb-3 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
            <div className="flex flex-col gap-2">
              <h4 className="text-sm font-medium text-ink-muted">Next</h4>
              {schedule.next.length > 0 ? (
                <NextTimes times={schedule.next} timezone={schedule.timezone} />
              ) : (
                <p className="text-sm text-ink-muted">None while it is paused.</p>
              )}
            </div>
            <div className="flex min-w-0 flex-col gap-2">
              <h4 className="text-sm font-medium text-ink-muted">Earlier</h4>
              <ScheduleTicks graphId={graphId} schedule={schedule} />
            </div>
          </div>
        ) : null}
      </div>
      {isAsking ? (
        <ConfirmDialog
          title={`Delete ${oneLine(name)}`}
          text="It makes no more calls. Those that it made stay in the list of calls."
          action="Delete"
          onClose={() => setAsking(false)}
          onConfirm={() => remove(id)}
        />
      ) : null}
    </li>
  );
}

/** When it runs next, and how it ended last. */
function Facts({ schedule }: { schedule: Schedule }) {
  const { timezone, paused, paused_reason, failures, last } = schedule;
  const [next] = schedule.next;
  const own = next && ownTime(timezone, next);
  return (
    <>
      {paused_reason === "" ? null : <p className="text-sm whitespace-pre-wrap text-danger-text">{paused_reason}</p>}
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-ink-muted">
        {next === undefined || paused ? null : (
          <span>
            Next <time dateTime={next}>{timeIn(timezone, next)}</time>
            {own === undefined ? null : ` (${own} your time)`}
          </span>
        )}
        {last ? (
          <span className="flex items-center gap-2">
            Last <RelativeTime time={last.time} />
            {last.state === "queued" ? (
              <CallBadge state={last.state} />
            ) : (
              <Link to={`/designer/runs/${last.call_id}`} title="Open the last call" className="rounded-full">
                <CallBadge state={last.state} />
              </Link>
            )}
          </span>
        ) : (
          <span>No call yet</span>
        )}
        {failures > 1 && !paused ? <span className="text-danger-text">{failures} failures in a row</span> : null}
      </p>
    </>
  );
}
