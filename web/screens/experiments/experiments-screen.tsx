import { useQuery } from "@tanstack/react-query";
import { ChartScatter, FlaskConical, GitCompareArrows, SearchX } from "lucide-react";
import { useMemo } from "react";
import { Link, useNavigate, useParams } from "react-router";

import type { ExperimentSummary } from "@miranda/contract/schemas/models/compare.ts";
import { model as limits } from "@miranda/contract/limits.ts";

import { HttpError } from "../../api/http.ts";
import {
  experimentPlotQuery,
  experimentsAddress,
  experimentsQuery,
  trackedRunAddress,
} from "../../api/models/compare.ts";
import { useProject } from "../../api/projects.ts";
import { plotItems } from "../../panels/plots/plot-items.ts";
import { RunPlots } from "../../panels/plots/run-plots.tsx";
import { WhoReads } from "../../shell/project/who-reads.tsx";
import { useTopBar } from "../../shell/top-bar-context.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { counted } from "../../ui/counted.ts";
import { PlainSelect } from "../../ui/form/plain-select.tsx";
import { EmptyState } from "../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { oneLine } from "../../ui/text/drawable-text.ts";

/** The runs of a project that logged something, experiment by experiment. */
export function ExperimentsScreen() {
  const { projectId = "", number } = useParams();
  const navigate = useNavigate();
  const { data: project } = useProject(projectId);
  const { data, error, isFetching, refetch } = useQuery(experimentsQuery(projectId));
  useTopBar({ back: `/designer/projects/${projectId}`, project: project?.project.name });
  if (error instanceof HttpError && (error.status === 404 || error.status === 400) && !data)
    return (
      <div className="mx-auto w-full max-w-2xl px-4 py-16">
        <EmptyState icon={SearchX} title="Project not found">
          It was deleted, or you may not read it.
        </EmptyState>
      </div>
    );
  if (error && !data)
    return (
      <div className="mx-auto w-full max-w-xl px-4 py-16">
        <LoadFailure
          title="The experiments could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      </div>
    );
  if (!data) return <LoadingArea label="Loading the experiments" />;
  const shown = data.find((one) => `${one.number}` === number) ?? (number === undefined ? newestOf(data) : undefined);
  return (
    <div className="mx-auto flex w-full max-w-[110rem] min-w-0 flex-col gap-5 px-4 py-6 sm:px-6 sm:py-8">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h1 className="text-2xl font-semibold">Experiments</h1>
        {data.length > 0 ? (
          <PlainSelect
            label="Experiment"
            value={shown ? `${shown.number}` : ""}
            onChange={(value) => void navigate(experimentsAddress(projectId, Number(value)))}
          >
            {shown ? null : <option value="">Choose one</option>}
            {data.map((one) => (
              <option key={one.number} value={one.number}>
                {oneLine(one.name)} ({counted(one.runs, "run")})
              </option>
            ))}
          </PlainSelect>
        ) : null}
        <WhoReads visibility={project?.project.visibility} className="sm:ml-auto" />
      </header>
      {data.length === 0 ? (
        <EmptyState icon={FlaskConical} title="No experiment yet">
          A run that logs metrics or parameters appears here: call{" "}
          <code className="font-mono text-sm">miranda.log_metric("loss", value)</code> or{" "}
          <code className="font-mono text-sm">mlflow.log_param("depth", 3)</code> in a node.
        </EmptyState>
      ) : null}
      {data.length > 0 && !shown ? (
        <EmptyState icon={SearchX} title="Experiment not found">
          It was deleted. Choose another one.
        </EmptyState>
      ) : null}
      {shown ? <Experiment key={shown.number} projectId={projectId} number={shown.number} /> : null}
    </div>
  );
}

/** The one that was run last. */
function newestOf(experiments: readonly ExperimentSummary[]): ExperimentSummary | undefined {
  return experiments.toSorted((one, other) => (other.time_last_run ?? "").localeCompare(one.time_last_run ?? ""))[0];
}

function Experiment({ projectId, number }: { projectId: string; number: number }) {
  const { data: plot, error, isFetching, refetch } = useQuery(experimentPlotQuery(projectId, number));
  const data = useMemo(
    () => plot && plotItems(plot, (key) => trackedRunAddress(projectId, number, key)),
    [plot, projectId, number],
  );
  if (error && !data)
    return (
      <LoadFailure
        title="The runs could not be loaded"
        message={error.message}
        busy={isFetching}
        onRetry={() => void refetch()}
      />
    );
  if (!data) return <LoadingArea label="Loading the runs" />;
  if (data.items.length === 0)
    return (
      <EmptyState icon={ChartScatter} title="No runs">
        This experiment has no runs.
      </EmptyState>
    );
  return (
    <>
      {data.cut ? (
        <p className="text-sm text-ink-muted">There are more runs. The newest {data.items.length} are drawn.</p>
      ) : null}
      <RunPlots
        runs={data.items}
        noun="run"
        renderAction={(chosen) =>
          chosen.length >= 2 && chosen.length <= limits.comparedMax ? (
            <Link
              to={`${experimentsAddress(projectId, number)}/compare?items=${chosen.map(({ id }) => id).join(",")}`}
              className={buttonClasses({ size: "sm" })}
            >
              <GitCompareArrows className="size-3.5" aria-hidden="true" />
              Compare these
            </Link>
          ) : null
        }
      />
    </>
  );
}
