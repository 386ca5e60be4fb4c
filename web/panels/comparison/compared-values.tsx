import { useState } from "react";

import type { ComparedItem, ModelComparison } from "@miranda/contract/schemas/models/compare.ts";

import type { ComparedAt } from "../../api/models/compare.ts";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { ComparedAtChoice } from "./compared-at-choice.tsx";
import { ComparisonTable } from "./comparison-table.tsx";

interface ComparedValuesProps {
  query: {
    data: ModelComparison | undefined;
    error: Error | null;
    isFetching: boolean;
    refetch: () => Promise<unknown>;
  };
  at: ComparedAt;
  onAt: (at: ComparedAt) => void;
  onRemove?: ((item: ComparedItem) => void) | undefined;
}

/** A comparison with its choices: which value of each metric, and whether only what differs is shown. */
export function ComparedValues({ query, at, onAt, onRemove }: ComparedValuesProps) {
  const { data, error, isFetching, refetch } = query;
  const [onlyDifferences, setOnlyDifferences] = useState(false);
  if (error && !data)
    return (
      <LoadFailure
        title="These could not be compared"
        message={error.message}
        busy={isFetching}
        onRetry={() => void refetch()}
      />
    );
  if (!data) return <LoadingArea label="Comparing" />;
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
        <ComparedAtChoice chosen={at} steps={data.steps} onChoose={onAt} />
        <label className="flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            checked={onlyDifferences}
            onChange={({ target }) => setOnlyDifferences(target.checked)}
            className="size-3.5 accent-(--accent)"
          />
          Only differences
        </label>
      </div>
      <ComparisonTable comparison={data} onlyDifferences={onlyDifferences} onRemove={onRemove} />
    </>
  );
}
