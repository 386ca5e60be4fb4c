import { Link } from "react-router";

import { messages } from "@miranda/contract/words/messages.ts";
import type { JobsResponse, JobSummary } from "@miranda/contract/schemas/processors.ts";
import { recentSessions } from "@miranda/contract/sessions.ts";

import { useJobs } from "../../api/jobs/jobs.ts";
import { runsAddress } from "../../api/runs/runs.ts";
import { useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { RelativeTime } from "../../shell/relative-time.tsx";
import { Button } from "../../ui/button.tsx";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { Money, MoneyShown } from "../money.tsx";
import { SessionIcon } from "./session-icon.tsx";

export function RecentSessions({ onSelect }: { onSelect: (jobId: string) => void }) {
  const { graphId } = useProcessor();
  const currentId = useProcessorState((state) => state.job?.id);
  const { data, error, isPending, older } = useJobs(graphId);
  const sessions = data ? recentSessions(allOf(data, graphId), currentId) : [];
  return (
    <section aria-label="Recent Sessions" className="flex flex-col gap-1">
      <div className="flex items-baseline justify-between gap-2 px-1">
        <h2 className="font-semibold">Recent Sessions</h2>
        <Link
          to={runsAddress({ graph: graphId })}
          className="ml-auto text-sm font-medium text-accent-text hover:underline"
        >
          Runs
        </Link>
        <Link to="/designer/processors" className="text-sm font-medium text-accent-text hover:underline">
          View all
        </Link>
      </div>
      {isPending ? <Spinner label="Loading sessions" className="px-1 py-2" /> : null}
      {error && !data ? <p className="px-1 text-sm text-danger-text">{error.message}</p> : null}
      {data && sessions.length === 0 ? <p className="px-1 text-ink-muted">{messages.noPastSessions}</p> : null}
      <ul className="flex flex-col">
        {sessions.map((job) => (
          <li key={job.id}>
            <button
              type="button"
              data-testid="recent-session"
              onClick={() => onSelect(job.id)}
              className="flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left hover:bg-hover"
            >
              <SessionIcon state={job.workflow_state} />
              <span className="min-w-0 flex-1 truncate">{job.name}</span>
              <MoneyShown>
                <Money amount={job.total_cost ?? 0} digits="cents" className="text-xs text-ink-faint" />
              </MoneyShown>
              <span className="w-22 text-right text-xs text-ink-faint">
                <RelativeTime time={job.time_created} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      {older.error ? <p className="px-1 text-sm text-danger-text">{older.error.message}</p> : null}
      {data?.next ? (
        <Button
          size="sm"
          className="self-start"
          busy={older.isPending}
          onClick={() => data.next && older.mutate(data.next)}
        >
          Show older sessions
        </Button>
      ) : null}
    </section>
  );
}

function allOf(jobs: JobsResponse, graphId: string): JobSummary[] {
  return [...jobs.queued, ...jobs.running, ...jobs.errored, ...jobs.exited].filter(
    (job) => !job.deployment_id && job.graph?.graph_id === graphId,
  );
}
