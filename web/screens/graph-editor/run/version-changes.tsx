import { useQuery } from "@tanstack/react-query";

import { comparisonQuery, type Sides, versionGraphQuery } from "../../../api/versions.ts";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { Comparison } from "../compare/comparison.tsx";

/** The differences between two versions of a workflow, or of two workflows. */
export function VersionChanges({ graphId, sides }: { graphId: string; sides: Sides }) {
  const graph = useQuery(versionGraphQuery(graphId, sides.before, 0));
  const comparison = useQuery(comparisonQuery(graphId, sides, 0));
  const error = graph.error ?? comparison.error;
  if (error)
    return (
      <div className="p-4">
        <LoadFailure
          title="These could not be compared."
          message={error.message}
          busy={graph.isFetching || comparison.isFetching}
          onRetry={() => {
            void graph.refetch();
            void comparison.refetch();
          }}
        />
      </div>
    );
  if (!graph.data || !comparison.data) return <LoadingArea label="Comparing" />;
  return (
    <Comparison
      graphId={graphId}
      before={graph.data}
      differences={comparison.data}
      nothing="Both ran the same code, values and edges."
    />
  );
}
