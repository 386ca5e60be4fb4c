import type { WorkflowState } from "@miranda/contract/processor.ts";
import type { NodeRun } from "@miranda/contract/schemas/processors.ts";

import type { Publish } from "./publish.ts";

/** States in which a run may go on: the last reported statuses of its nodes still hold. */
export const isMidRun = (state: WorkflowState): boolean =>
  state === "RUNNING" || state === "RESUMEREADY" || state === "KILLING";

/** `running`: the node that runs now, null when none does, undefined when that has not changed. */
export function publishNodes(
  publish: Publish,
  { jobId, graphId }: { jobId: string; graphId: string },
  nodes: NodeRun[],
  running: number | null | undefined,
): void {
  for (const { wob_key, status } of nodes) publish(graphId, "status", { metadata_id: wob_key, status });
  if (nodes.length > 0) publish(graphId, "node_runs", { job_id: jobId, nodes });
  if (running !== undefined) publish(graphId, "running_node", { job_id: jobId, wob_key: running });
}
