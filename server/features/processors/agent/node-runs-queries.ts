import type { NodeRun } from "@miranda/contract/schemas/processors.ts";
import { sql } from "kysely";

import type { Db } from "../../../platform/database/database.ts";

/** Marks the nodes that were running when their worker died as failed. The worker may have died before it reported them. */
export async function markFailed(trx: Db, jobId: string, graphId: string, nodes: number[]): Promise<NodeRun[]> {
  const { rows } = await sql<NodeRun>`
    with failed as (
      insert into job_nodes (job_id, node_id, run, status, seconds, fires)
      select ${jobId}, given.id, coalesce((select max(run) from job_nodes where job_id = ${jobId}), 1), 'error', 0, 0
      from unnest(${nodes}::bigint[]) as given(id)
      on conflict (job_id, node_id) do update set status = 'error', run = greatest(job_nodes.run, excluded.run)
      returning node_id, run, status, seconds, fires
    ), shown as (
      update nodes set status = 'error', last_used_at = now() from failed
      where nodes.metadata_id = failed.node_id and nodes.graph_id = ${graphId}
    )
    select node_id as wob_key, run, status, seconds, fires from failed`.execute(trx);
  return rows;
}

/** When a worker is gone, marks the nodes it was running as stopped, and those that waited as idle. */
export async function markStopped(trx: Db, jobId: string, graphId: string | null): Promise<NodeRun[]> {
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
