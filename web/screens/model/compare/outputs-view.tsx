import { useQueries, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";

import type { ComparedItem } from "@miranda/contract/schemas/models/compare.ts";
import type { RunDetails, RunNode } from "@miranda/contract/schemas/runs.ts";

import { comparisonQuery } from "../../../api/models/compare.ts";
import { itemOf } from "../../../api/models/compared-versions.ts";
import { runAddress, runQuery } from "../../../api/runs/runs.ts";
import { RunOutputs } from "../../../panels/runs/run-outputs.tsx";
import { PlainSelect } from "../../../ui/form/plain-select.tsx";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea, Spinner } from "../../../ui/layout/spinner.tsx";
import { oneLine } from "../../../ui/text/drawable-text.ts";
import { useOpenModel } from "../open-model.tsx";
import { useCompared } from "./compare-view.tsx";

/** What one node showed in the runs of all compared versions, side by side. */
export function OutputsView() {
  const { model } = useOpenModel();
  const versions = useCompared();
  const items = versions.map((number) => itemOf(model.id, number));
  const { data, error, isFetching, refetch } = useQuery(comparisonQuery(items, { at: "last" }));
  if (error && !data)
    return (
      <div className="p-4 sm:p-6">
        <LoadFailure
          title="These could not be compared"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      </div>
    );
  if (!data) return <LoadingArea label="Loading the runs" />;
  return <Outputs items={data.items} />;
}

function Outputs({ items }: { items: readonly ComparedItem[] }) {
  const [chosen, setChosen] = useState<string>();
  const runs = useQueries({
    queries: items.map(({ run_id }) => ({ ...runQuery(run_id ?? ""), enabled: run_id !== null })),
  });
  // The same node has the same name in runs of different workflows, but another number.
  const names = [...new Set(runs.flatMap(({ data }) => data?.run_nodes.map(({ name }) => name) ?? []))];
  const shown = chosen !== undefined && names.includes(chosen) ? chosen : names.at(-1);
  return (
    <div className="flex min-w-0 flex-col gap-4 px-4 py-5 sm:px-6">
      {shown === undefined ? null : (
        <label className="flex items-center gap-2 text-sm text-ink-muted">
          <span aria-hidden="true">Node</span>
          <PlainSelect label="Node" value={shown} onChange={setChosen}>
            {names.map((name) => (
              <option key={name} value={name}>
                {oneLine(name)}
              </option>
            ))}
          </PlainSelect>
        </label>
      )}
      <div className="overflow-x-auto">
        <div
          className="grid rounded-lg border border-line bg-canvas max-sm:!grid-cols-1"
          style={{ gridTemplateColumns: `repeat(${items.length}, minmax(18rem, 1fr))` }}
        >
          {items.map((item, at) => (
            <Side key={item.key} item={item} run={runs[at]?.data} error={runs[at]?.error ?? null} node={shown} />
          ))}
        </div>
      </div>
    </div>
  );
}

interface SideProps {
  item: ComparedItem;
  run: RunDetails | undefined;
  error: Error | null;
  node: string | undefined;
}

function Side({ item, run, error, node }: SideProps) {
  return (
    <section
      aria-label={item.label}
      data-testid="compared-outputs"
      className="min-w-0 border-r border-line p-4 last:border-r-0 max-sm:border-r-0 max-sm:border-b"
    >
      <h3 className="mb-3 flex items-baseline gap-2 text-sm font-semibold">
        {oneLine(item.label)}
        {run ? (
          <Link to={runAddress(run.id)} className="font-normal text-accent-text hover:underline">
            Run {run.number}
          </Link>
        ) : null}
      </h3>
      <SideContent item={item} run={run} error={error} node={run?.run_nodes.find(({ name }) => name === node)} />
    </section>
  );
}

function SideContent({ item, run, error, node }: Omit<SideProps, "node"> & { node: RunNode | undefined }) {
  const plain = "text-sm text-ink-muted";
  if (item.run_id === null) return <p className={plain}>No run of a workflow made it, or the run is removed.</p>;
  if (error) return <p className={plain}>{error.message}</p>;
  if (!run) return <Spinner label="Loading the run" />;
  if (!node) return <p className={plain}>The node was not part of this run.</p>;
  return <RunOutputs key={`${run.id} ${node.wob_key}`} run={run} node={node} />;
}
