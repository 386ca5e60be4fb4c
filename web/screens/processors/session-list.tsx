import { Cpu } from "lucide-react";
import { useMemo, useRef } from "react";

import type { JobsResponse } from "@miranda/contract/schemas/processors.ts";
import { type SessionGroup, sessionGroups } from "@miranda/contract/sessions.ts";

import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { useEndNear } from "../../ui/layout/use-end-near.ts";
import { SessionEntry } from "./session-entry.tsx";
import type { Stopping } from "./use-force-stop.ts";
import { useVisibleSessions } from "./use-visible-sessions.ts";

const headings: Record<SessionGroup, string> = {
  queued: "Queued",
  running: "Running",
  errored: "Errored",
  exited: "Exited",
};

export interface OlderSessions {
  isPending: boolean;
  error: Error | null;
  mutate: (after: string) => void;
}

interface SessionListProps {
  jobs: JobsResponse;
  older: OlderSessions;
  chosenId: string | undefined;
  stopping: Stopping;
}

/** The sessions in groups. Scrolling loads older ones; of many sessions only those in view exist. */
export function SessionList({ jobs, older, chosenId, stopping }: SessionListProps) {
  const frame = useRef<HTMLDivElement>(null);
  const groups = useMemo(() => sessionGroups.filter((group) => jobs[group].length > 0), [jobs]);
  const visible = useVisibleSessions(frame, jobs, groups);
  const { next } = jobs;
  const mayLoad = next !== null && !older.isPending && !older.error;
  const count = groups.reduce((sum, group) => sum + jobs[group].length, 0);
  const end = useEndNear(count, mayLoad ? () => older.mutate(next) : undefined, frame);
  if (groups.length === 0 && next === null) {
    return (
      <div className="flex flex-1 flex-col items-center justify-center gap-2 p-8 text-center text-ink-muted">
        <Cpu className="size-6 text-ink-faint" strokeWidth={1.75} aria-hidden="true" />
        <p>No sessions yet. Start a processor in a workflow and it appears here.</p>
      </div>
    );
  }
  return (
    <div ref={frame} data-testid="session-list" className="min-h-0 flex-1 overflow-y-auto px-2 pb-4">
      {visible.groups.map(({ group, headingIndex, from, to, above, below }) => (
        <section key={group} aria-label={headings[group]} data-testid={`sessions-${group}`}>
          <h2
            ref={visible.measure}
            data-index={headingIndex}
            className="sticky top-0 z-10 flex items-baseline gap-2 bg-canvas px-2 pt-4 pb-1.5 text-sm font-semibold text-ink-muted"
          >
            {headings[group]}
            <span className="text-xs font-normal text-ink-faint tabular-nums">{countWords(jobs, group)}</span>
          </h2>
          <ul style={{ paddingTop: above, paddingBottom: below }}>
            {jobs[group].slice(from, to).map((job, offset) => (
              <li
                key={job.id}
                ref={visible.measure}
                data-index={headingIndex + 1 + from + offset}
                aria-setsize={hasMore(jobs, group) ? -1 : jobs[group].length}
                aria-posinset={from + offset + 1}
                className="pb-0.5"
              >
                <SessionEntry
                  job={job}
                  group={group}
                  state={stopping.stateOf(job)}
                  isChosen={job.id === chosenId}
                  onStop={stopping.stop}
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
      <div ref={end} aria-hidden="true" />
      {older.isPending ? <Spinner label="Loading older sessions" showLabel className="px-2 py-3" /> : null}
      {older.error && next !== null ? (
        <div className="p-2">
          <LoadFailure
            title="Older sessions could not be loaded"
            message={older.error.message}
            onRetry={() => older.mutate(next)}
          />
        </div>
      ) : null}
    </div>
  );
}

/** Whether a group has sessions that are not loaded. */
function hasMore({ next, cut }: JobsResponse, group: SessionGroup): boolean {
  if (group === "queued" || group === "running") return cut?.includes(group) === true;
  return next !== null;
}

function countWords(jobs: JobsResponse, group: SessionGroup): string {
  return `${jobs[group].length.toLocaleString("en")}${hasMore(jobs, group) ? "+" : ""}`;
}
