import type { WorkflowState } from "@miranda/contract/processor.ts";
import type { NodeRun } from "@miranda/contract/schemas/processors.ts";
import { sql } from "kysely";

import type { Db } from "../../platform/database.ts";
import type { Publish } from "./publish-batch.ts";

/** In these a run may go on: what its nodes were last said to do still holds. */
export const isMidRun = (state: WorkflowState): boolean =>
  state === "RUNNING" || state === "RESUMEREADY" || state === "KILLING";

/** These ran when their worker died. It may have died before it could say that they ran at all. */
export async function blame(trx: Db, jobId: string, graphId: string, nodes: number[]): Promise<NodeRun[]> {
  const { rows } = await sql<NodeRun>`
    with blamed as (
      insert into job_nodes (job_id, node_id, run, status, seconds, fires)
      select ${jobId}, given.id, coalesce((select max(run) from job_nodes where job_id = ${jobId}), 1), 'error', 0, 0
      from unnest(${nodes}::bigint[]) as given(id)
      on conflict (job_id, node_id) do update set status = 'error', run = greatest(job_nodes.run, excluded.run)
      returning node_id, run, status, seconds, fires
    ), shown as (
      update nodes set status = 'error', last_used_at = now() from blamed
      where nodes.metadata_id = blamed.node_id and nodes.graph_id = ${graphId}
    )
    select node_id as wob_key, run, status, seconds, fires from blamed`.execute(trx);
  return rows;
}

/** Whose worker is gone says nothing more: what ran then was stopped, and what waited is not reached any more. */
export async function endUnfinished(trx: Db, jobId: string, graphId: string | null): Promise<NodeRun[]> {
  const { rows } = await sql<NodeRun>`
    with ended as (
      update job_nodes set status = case status when 'running' then 'stopped' else 'idle' end
      where job_id = ${jobId} and status in ('waiting', 'running')
      returning node_id, run, status, seconds, fires
    ), shown as (
      update nodes set status = ended.status from ended
      where nodes.metadata_id = ended.node_id and nodes.graph_id = ${graphId}
    )
    select node_id as wob_key, run, status, seconds, fires from ended`.execute(trx);
  return rows;
}

/** `running` is the node that runs now, null when none does any more, undefined when that is as it was. */
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
