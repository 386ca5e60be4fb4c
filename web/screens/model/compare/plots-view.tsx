import { useQuery } from "@tanstack/react-query";
import { GitCompareArrows } from "lucide-react";
import { Link } from "react-router";

import { model as limits } from "@miranda/contract/limits.ts";
import type { RunsPlot } from "@miranda/contract/schemas/models/compare.ts";

import { modelPlotQuery } from "../../../api/models/compare.ts";
import { comparedVersionsAddress } from "../../../api/models/compared-versions.ts";
import { plotItems } from "../../../panels/plots/plot-items.ts";
import { RunPlots } from "../../../panels/plots/run-plots.tsx";
import { buttonClasses } from "../../../ui/button.tsx";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { useOpenModel } from "../open-model.tsx";

// One function for all renderings: another one would draw every line again.
const plotted = (plot: RunsPlot) => plotItems(plot);

/** All versions of the model by their parameters and metrics. */
export function PlotsView() {
  const { model } = useOpenModel();
  const { data, error, isFetching, refetch } = useQuery({ ...modelPlotQuery(model.id), select: plotted });
  if (error && !data)
    return (
      <div className="p-4 sm:p-6">
        <LoadFailure
          title="The plots could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      </div>
    );
  if (!data) return <LoadingArea label="Loading the plots" />;
  return (
    <div className="mx-auto flex w-full max-w-[110rem] min-w-0 flex-col gap-4 px-4 py-5 sm:px-6">
      {data.cut ? (
        <p className="text-sm text-ink-muted">There are more versions. The newest {data.items.length} are drawn.</p>
      ) : null}
      <RunPlots
        runs={data.items}
        noun="version"
        renderAction={(chosen) =>
          chosen.length >= 2 && chosen.length <= limits.comparedMax ? (
            <Link
              to={comparedVersionsAddress(
                model.id,
                chosen.map(({ id }) => Number(id.split("@")[1])),
              )}
              className={buttonClasses({ size: "sm" })}
            >
              <GitCompareArrows className="size-3.5" aria-hidden="true" />
              Compare these
            </Link>
          ) : null
        }
      />
    </div>
  );
}
