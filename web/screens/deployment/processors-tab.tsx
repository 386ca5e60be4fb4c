import { useQuery } from "@tanstack/react-query";
import { Cpu, ListChecks, Square } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import { Link } from "react-router";

import { isAlive, stateIcons } from "@miranda/contract/processor.ts";
import type { Deployment } from "@miranda/contract/schemas/deployments/deployments.ts";
import type { JobSummary } from "@miranda/contract/schemas/processors.ts";

import { Money, MoneyShown } from "../../panels/money.tsx";
import { cancelJob, usePolledJob } from "../../api/jobs/jobs.ts";
import { deploymentAddress, deploymentSessionsQuery } from "../../api/deployments/deployments.ts";
import { runAddress } from "../../api/runs/runs.ts";
import { earlierLines } from "../../panels/logs/lines/earlier-lines.ts";
import { LogsPanel } from "../../panels/logs/logs-panel.tsx";
import { useSessionLog } from "../../panels/logs/lines/use-session-log.ts";
import { SessionIcon } from "../../panels/processor/session-icon.tsx";
import { RelativeTime } from "../../shell/relative-time.tsx";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { EmptyState } from "../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { ConfirmDialog } from "../../ui/overlay/confirm-dialog.tsx";

/** The processors that serve the deployment, with their logs as they are written. */
export function ProcessorsTab({ deployment }: { deployment: Deployment }) {
  const { data: jobs, error, isFetching, refetch } = useQuery(deploymentSessionsQuery(deployment.graph.id));
  const [chosenId, setChosenId] = useState<string | null>(null);
  if (error && !jobs)
    return (
      <div className="p-6">
        <LoadFailure
          title="The processors could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      </div>
    );
  if (!jobs) return <LoadingArea label="Loading the processors" />;
  const chosen = jobs.find(({ id }) => id === chosenId) ?? jobs[0];
  if (!chosen)
    return (
      <div className="p-6">
        <EmptyState icon={Cpu} title="No processor yet">
          {deployment.policy.warm > 0
            ? "One is started and kept warm as soon as a release is in production."
            : "One starts with the first call."}
        </EmptyState>
      </div>
    );
  return (
    <div className="flex min-h-0 flex-1 max-md:flex-col">
      <aside
        aria-label="Processors"
        className="w-72 shrink-0 overflow-y-auto border-r border-line p-2 max-md:max-h-48 max-md:w-full max-md:border-r-0 max-md:border-b"
      >
        <ul>
          {jobs.map((job) => (
            <li key={job.id}>
              <button
                type="button"
                data-testid="deployment-session"
                data-state={job.workflow_state}
                aria-current={job.id === chosen.id ? "true" : undefined}
                onClick={() => setChosenId(job.id)}
                className={classes(
                  "flex w-full items-start gap-2.5 rounded-lg px-2 py-2 text-left",
                  job.id === chosen.id ? "bg-accent-soft" : "hover:bg-hover",
                )}
              >
                <SessionIcon state={job.workflow_state} className="mt-0.5" />
                <span className="min-w-0 flex-1">
                  <span className="block truncate font-medium tabular-nums">{sessionName(job)}</span>
                  <span className="block text-xs text-ink-muted">
                    {stateIcons[job.workflow_state].text} · <RelativeTime time={job.time_created} />
                  </span>
                </span>
              </button>
            </li>
          ))}
        </ul>
      </aside>
      <Session key={chosen.id} summary={chosen} deployment={deployment} />
    </div>
  );
}

const startTime = new Intl.DateTimeFormat(undefined, {
  ...{ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit" },
});

/** All processors of a deployment have its title, so they are told apart by their start. */
function sessionName({ time_created }: JobSummary): string {
  return `Started ${startTime.format(new Date(time_created))}`;
}

function Session({ summary, deployment }: { summary: JobSummary; deployment: Deployment }) {
  const mayStop = deployment.right !== "read";
  const { id, name, workflow_state: state } = summary;
  const { data: job, isPending } = usePolledJob(id);
  const { store, gap } = useSessionLog(id, job, true);
  const onEarlier = useCallback(() => earlierLines(store, id), [store, id]);
  const [isStopping, setStopping] = useState(false);
  const { project_id: projectId, id: graphId } = deployment.graph;
  // The code that runs here is that of the release.
  const jump = useMemo(
    () => ({
      codePath: (node: number) => `${deploymentAddress(projectId, graphId, "code")}&node=${node}`,
      nameOf: () => undefined,
      reveal: undefined,
    }),
    [projectId, graphId],
  );
  return (
    <section aria-label={sessionName(summary)} className="flex min-h-0 min-w-0 flex-1 flex-col">
      <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-surface px-4 py-1.5 text-sm">
        <span className="font-medium">{stateIcons[state].text}</span>
        <span className="text-ink-muted tabular-nums max-md:hidden">{sessionName(summary)}</span>
        <span className="text-ink-muted tabular-nums">
          <MoneyShown>
            <Money amount={summary.total_cost ?? 0} />
          </MoneyShown>
        </span>
        <span className="ml-auto flex gap-2">
          {summary.last_run ? (
            <Link to={runAddress(summary.last_run.id)} className={buttonClasses({ size: "sm", variant: "ghost" })}>
              <ListChecks className="size-3.5" aria-hidden="true" />
              Last call
            </Link>
          ) : null}
          {mayStop && isAlive(state) ? (
            <Button size="sm" onClick={() => setStopping(true)}>
              <Square className="size-3.5" aria-hidden="true" />
              Stop
            </Button>
          ) : null}
        </span>
      </header>
      <LogsPanel
        store={store}
        gap={gap}
        name={name}
        isLoading={isPending}
        jump={jump}
        onEarlier={onEarlier}
        empty="This processor has printed nothing so far."
      />
      {isStopping ? (
        <ConfirmDialog
          title="Stop this processor"
          text="A call that is running on it ends. Another processor starts when one is needed."
          action="Stop"
          onClose={() => setStopping(false)}
          onConfirm={async () => {
            await cancelJob(id);
            setStopping(false);
          }}
        />
      ) : null}
    </section>
  );
}
