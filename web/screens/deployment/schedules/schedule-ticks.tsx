import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "react-router";

import type { Schedule, ScheduleTick } from "@miranda/contract/schemas/deployments/schedules.ts";

import { scheduleTicksQuery } from "../../../api/deployments/schedules.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { FormAlert } from "../../../ui/form/field.tsx";
import { Spinner } from "../../../ui/layout/spinner.tsx";
import { CallBadge } from "./call-badge.tsx";
import { timeIn } from "./time-words.ts";

const outcomes = {
  due: { word: "Waiting", tone: "neutral" },
  called: { word: "Called", tone: "neutral" },
  skipped: { word: "Skipped", tone: "warning" },
  missed: { word: "Missed", tone: "warning" },
  refused: { word: "Refused", tone: "danger" },
} as const;

/** The times of a schedule that have come, and what happened then. */
export function ScheduleTicks({ graphId, schedule }: { graphId: string; schedule: Schedule }) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    scheduleTicksQuery(graphId, schedule.id),
  );
  if (!data) return error ? <FormAlert message={error.message} /> : <Spinner label="Loading the times" showLabel />;
  const ticks = data.pages.flatMap((page) => page.ticks);
  if (ticks.length === 0) return <p className="text-sm text-ink-muted">It has not been due yet.</p>;
  return (
    <>
      <ul aria-label="Earlier times" className="flex flex-col divide-y divide-line">
        {ticks.map((tick) => (
          <li key={tick.time} className="flex flex-col gap-0.5 py-1.5 first:pt-0">
            <div className="flex items-center justify-between gap-3 text-sm">
              <time dateTime={tick.time} className="tabular-nums">
                {timeIn(schedule.timezone, tick.time)}
              </time>
              <Outcome tick={tick} />
            </div>
            {tick.reason === "" ? null : (
              <p className="text-xs wrap-anywhere whitespace-pre-wrap text-ink-muted">{tick.reason}</p>
            )}
          </li>
        ))}
      </ul>
      {hasNextPage ? (
        <div>
          <Button size="sm" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show earlier times
          </Button>
        </div>
      ) : null}
    </>
  );
}

function Outcome({ tick: { call, outcome } }: { tick: ScheduleTick }) {
  if (!call) return <Badge tone={outcomes[outcome].tone}>{outcomes[outcome].word}</Badge>;
  if (call.state === "queued") return <CallBadge state={call.state} />;
  return (
    <Link to={`/designer/runs/${call.id}`} title="Open this call" className="rounded-full">
      <CallBadge state={call.state} />
    </Link>
  );
}
