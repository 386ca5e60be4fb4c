import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Link } from "react-router";

import type { RunDetails } from "@miranda/contract/schemas/runs.ts";

import { runAddress, runGraphQuery } from "../../../api/runs/runs.ts";
import { durationText } from "@miranda/contract/words/duration-text.ts";
import { useOpenRun } from "../../../panels/runs/open-run.tsx";
import { nodeLooks, nodeStateOf } from "../../../panels/runs/run-looks.ts";
import { NodeBadge } from "../../../panels/runs/run-mark.tsx";
import { WorkflowProviders } from "../../../providers/workflow-providers.tsx";
import { buttonClasses } from "../../../ui/button.tsx";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { PastCanvas } from "../canvas/past-canvas.tsx";
import type { PastView, RunMark } from "../canvas/past-view.ts";
import { useUi } from "../editor-context.tsx";
import { Inspector } from "../inspector/inspector.tsx";

function markOf(node: RunDetails["run_nodes"][number]): RunMark {
  const state = nodeStateOf(node);
  const { colour, sign, word } = nodeLooks[state];
  return { state, colour, sign, word, time: node.seconds > 0 ? durationText(node.seconds) : "" };
}

/** The workflow as it was run, with what became of each node. Nothing on it can be changed. */
export function RunGraph() {
  const { run } = useOpenRun();
  const graph = useQuery({ ...runGraphQuery(run.id), enabled: run.version !== null });
  const past = useMemo(
    (): PastView => ({
      nodes: new Map(),
      edges: new Map(),
      runs: new Map(run.run_nodes.map((node) => [node.wob_key, markOf(node)])),
    }),
    [run.run_nodes],
  );
  if (run.version === null)
    return (
      <p className="grid flex-1 place-items-center p-8 text-center text-ink-muted">
        {run.time_ended === null
          ? "The version of this run is being stored."
          : "The version of this run is not stored."}
      </p>
    );
  if (graph.error && !graph.data)
    return (
      <div className="p-4">
        <LoadFailure
          title="The graph of this run could not be loaded."
          message={graph.error.message}
          busy={graph.isFetching}
          onRetry={() => void graph.refetch()}
        />
      </div>
    );
  if (!graph.data) return <LoadingArea label="Loading the graph" />;
  return (
    <WorkflowProviders projectId={run.graph.project_id} graphId={run.graph.id}>
      <PastCanvas graphId={run.graph.id} graph={graph.data} past={past} place={null}>
        <div className="flex min-h-0 flex-col items-end gap-2">
          <ChosenNode run={run} />
          <Inspector />
        </div>
      </PastCanvas>
    </WorkflowProviders>
  );
}

/** Leads from the selected node to its part of the timeline. */
function ChosenNode({ run }: { run: RunDetails }) {
  const only = useUi(({ selected }) => (selected.size === 1 ? [...selected][0] : undefined));
  const node = run.run_nodes.find(({ wob_key }) => wob_key === only);
  if (!node) return null;
  return (
    <div
      data-covers=""
      data-testid="chosen-run-node"
      className="pointer-events-auto flex w-80 max-w-full items-center gap-2 rounded-xl border border-line bg-surface p-2 pl-3 shadow-high"
    >
      <NodeBadge state={nodeStateOf(node)} />
      <span dir="auto" className="min-w-0 flex-1 truncate text-xs text-ink-muted" title={node.reason}>
        {node.reason}
      </span>
      <Link to={`${runAddress(run.id)}?node=${node.wob_key}`} className={buttonClasses({ size: "sm" })}>
        In the timeline
      </Link>
    </div>
  );
}
