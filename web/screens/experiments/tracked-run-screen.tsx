import { useQuery } from "@tanstack/react-query";
import { SearchX } from "lucide-react";
import { Suspense } from "react";
import { Link, useParams } from "react-router";

import type { TrackedRun } from "@miranda/contract/schemas/models/compare.ts";
import { stateWords } from "@miranda/contract/words/state-words.ts";

import { type FolderFiles, trackedRunFiles } from "../../api/models/artifacts.ts";
import { experimentsAddress, trackedRunQuery } from "../../api/models/compare.ts";
import { HttpError } from "../../api/http.ts";
import { useProject } from "../../api/projects.ts";
import { lazyPart } from "../../load-part.ts";
import { RunFiles } from "../../panels/files/run-files.tsx";
import { MadeModels } from "../../panels/models/made-models.tsx";
import { metricWords } from "../../panels/models/metric-words.ts";
import { durationText } from "@miranda/contract/words/duration-text.ts";
import { RelativeTime } from "../../shell/relative-time.tsx";
import { useTopBar } from "../../shell/top-bar-context.tsx";
import { Badge } from "../../ui/badge.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { Page } from "../../ui/layout/page.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";

const RunCharts = lazyPart(() =>
  import("../../panels/metrics/metrics-panel.tsx").then((module) => ({ default: module.RunCharts })),
);

/** A run that a client outside of the product made: what it logged. */
export function TrackedRunScreen() {
  const { projectId = "", number = "0", runId = "" } = useParams();
  const { data: project } = useProject(projectId);
  const back = experimentsAddress(projectId, Number(number));
  useTopBar({ back, project: project?.project.name });
  const { data, error, isFetching, refetch } = useQuery(trackedRunQuery(projectId, Number(number), runId));
  if (error instanceof HttpError && error.status === 404) return <NoRun back={back} />;
  if (error && !data)
    return (
      <div className="mx-auto w-full max-w-xl px-4 py-16">
        <LoadFailure
          title="The run could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      </div>
    );
  if (!data) return <LoadingArea label="Loading the run" />;
  return <RunPage run={data} files={trackedRunFiles(projectId, Number(number), runId)} />;
}

function NoRun({ back }: { back: string }) {
  return (
    <div className="mx-auto w-full max-w-2xl px-4 py-16">
      <EmptyState
        icon={SearchX}
        title="Run not found"
        action={
          <Link to={back} className={buttonClasses()}>
            All runs of the experiment
          </Link>
        }
      >
        It was deleted, or it is in another experiment.
      </EmptyState>
    </div>
  );
}

function RunPage({ run, files }: { run: TrackedRun; files: FolderFiles }) {
  const { label, status, time_began, seconds, metrics, params, series, models } = run;
  const isAlive = status === "RUNNING";
  return (
    <Page
      title={oneLine(label)}
      description={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1" data-testid="tracked-run">
          <Badge tone={tones[status] ?? "neutral"}>{stateWords(status)}</Badge>
          <span>
            Began <RelativeTime time={time_began} />
          </span>
          {seconds === null ? null : <span>Took {durationText(seconds)}</span>}
        </span>
      }
    >
      {models.length > 0 ? (
        <section aria-label="Models of this run" className="flex min-w-0 flex-col gap-2">
          <h2 className="text-lg font-semibold">Models</h2>
          <MadeModels models={models} />
        </section>
      ) : null}
      {series.length > 0 ? (
        <section aria-label="Charts" data-charts="" className="min-w-0 rounded-lg border border-line bg-surface py-1">
          <Suspense fallback={<LoadingArea label="Loading the charts" />}>
            <RunCharts metrics={series} usage={null} isAlive={isAlive} nameOf={noNode} />
          </Suspense>
        </section>
      ) : null}
      <div className="grid gap-8 sm:grid-cols-2">
        <Values
          title="Metrics"
          values={Object.entries(metrics).map(([name, value]) => [name, metricWords(value)] as const)}
        />
        <Values title="Parameters" values={Object.entries(params)} />
      </div>
      <section aria-label="Files" className="flex min-w-0 flex-col gap-2">
        <h2 className="text-lg font-semibold">Files</h2>
        <RunFiles
          files={files}
          isAlive={isAlive}
          empty={<p className="text-ink-muted">None were logged. Files of its models are on their pages.</p>}
        />
      </section>
    </Page>
  );
}

/** A client's run has no nodes. */
const noNode = () => undefined;

const tones: Readonly<Record<string, "success" | "danger" | "info">> = {
  FINISHED: "success",
  FAILED: "danger",
  RUNNING: "info",
};
function Values({ title, values }: { title: string; values: readonly (readonly [string, string])[] }) {
  return (
    <section className="flex min-w-0 flex-col gap-2">
      <h2 className="text-lg font-semibold">{title}</h2>
      {values.length === 0 ? <p className="text-ink-muted">None were logged.</p> : null}
      <dl className="flex flex-col text-sm">
        {values.map(([name, value]) => (
          <div key={name} className="flex justify-between gap-4 border-b border-line py-1.5 last:border-b-0">
            <dt dir="auto" className="min-w-0 wrap-anywhere text-ink-muted">
              {oneLine(name)}
            </dt>
            <dd dir="auto" className="min-w-0 text-right wrap-anywhere tabular-nums">
              {oneLine(value)}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
