import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";

import { runQuery } from "../../../api/runs/runs.ts";
import { useOpenRun } from "../../../panels/runs/open-run.tsx";
import { WorkflowProviders } from "../../../providers/workflow-providers.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { VersionChanges } from "./version-changes.tsx";

const plain = "grid flex-1 place-items-center p-8 text-center text-ink-muted";

/** What differs in the code, values and edges of two runs: between the versions that they ran. */
export function RunChanges() {
  const { otherId = "" } = useParams();
  const { run } = useOpenRun();
  const { data: other, error } = useQuery(runQuery(otherId));
  if (error && !other)
    return (
      <p role="alert" className={plain}>
        {error.message}
      </p>
    );
  if (!other) return <LoadingArea label="Loading the other run" />;
  if (!run.version || !other.version) return <p className={plain}>The version of one of these runs is not stored.</p>;
  if (run.version.id === other.version.id)
    return (
      <p className={plain} data-testid="same-version">
        Both ran the same version: the same code, values and edges.
      </p>
    );
  return (
    <WorkflowProviders projectId={run.graph.project_id} graphId={run.graph.id}>
      <VersionChanges graphId={run.graph.id} sides={{ before: other.version.id, after: run.version.id }} />
    </WorkflowProviders>
  );
}
