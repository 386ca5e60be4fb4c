import { useMemo } from "react";

import type { RunDetails } from "@miranda/contract/schemas/runs.ts";

import { graphAddress } from "../../../api/graphs.ts";
import { LogsPanel } from "../../../panels/logs/logs-panel.tsx";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { useRunLog } from "./use-run-log.ts";

interface RunLogProps {
  run: RunDetails;
  /** Only the lines of this node. */
  node?: number;
}

/** The printed lines of a run, or of one of its nodes. */
export function RunLog({ run, node }: RunLogProps) {
  const { store, isLoading, error, retry } = useRunLog(run, node);
  const { project_id, id } = run.graph;
  const jump = useMemo(() => {
    const names = new Map(run.run_nodes.map(({ wob_key, name }) => [wob_key, name]));
    return {
      nameOf: (key: number) => names.get(key),
      codePath: (key: number) => `${graphAddress(project_id, id)}/code/${key}`,
      reveal: undefined,
    };
  }, [run.run_nodes, project_id, id]);
  if (!run.session.exists && store.size() === 0 && !isLoading)
    return (
      <p className="grid flex-1 place-items-center p-4 text-center text-ink-muted">
        The log was removed with its session.
      </p>
    );
  if (error && store.size() === 0)
    return (
      <div className="p-3">
        <LoadFailure title="The log could not be loaded" message={error.message} onRetry={retry} />
      </div>
    );
  return (
    <LogsPanel
      store={store}
      name={`run ${run.number}`}
      isLoading={isLoading}
      jump={jump}
      empty={node === undefined ? "This run printed nothing." : "This node printed nothing."}
    />
  );
}
