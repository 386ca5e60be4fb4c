import { useQuery } from "@tanstack/react-query";

import type { RunDetails, RunNode } from "@miranda/contract/schemas/runs.ts";

import { runOutputsQuery } from "../../api/runs/runs.ts";
import { OutputList } from "../outputs/output-list.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { Spinner } from "../../ui/layout/spinner.tsx";

/** What a node showed in a run. */
export function RunOutputs({ run, node }: { run: RunDetails; node: RunNode }) {
  const { data, error, isPending, isFetching, refetch } = useQuery(runOutputsQuery(run, node.wob_key));
  if (isPending) return <Spinner label="Loading the output" />;
  if (error && !data)
    return (
      <LoadFailure
        title="The output could not be loaded"
        message={error.message}
        busy={isFetching}
        onRetry={() => void refetch()}
      />
    );
  if (!data || data.length === 0)
    return (
      <p className="text-sm text-ink-muted">
        {run.outputs_removed ? "The outputs were removed to make room." : "It showed nothing."}
      </p>
    );
  return (
    <div className="flex min-w-0 flex-col gap-4" data-testid="run-outputs">
      <OutputList outputs={data} name={node.name} />
    </div>
  );
}
