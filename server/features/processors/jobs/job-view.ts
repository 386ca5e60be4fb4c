import { sessions } from "@miranda/contract/limits.ts";
import type { JobSummary } from "@miranda/contract/schemas/processors.ts";

import type { JobRow } from "./jobs-queries.ts";

/** A job as in answers and events. */
export function toJobSummary(row: JobRow): JobSummary {
  return {
    id: row.id,
    tag: row.tag,
    name: row.name,
    description: row.description,
    class: sessions.class,
    workflow_state: row.state,
    state_since: row.state_at.toISOString(),
    revision: row.revision,
    container_id: containerOf(row),
    time_created: row.created_at.toISOString(),
    ends_at: row.ends_at?.toISOString() ?? null,
    total_cost: row.total_cost,
    cpu_seconds: row.cpu_seconds,
    ram_gb_seconds: row.ram_gb_seconds,
    net_rx_gb: row.net_rx_gb,
    net_tx_gb: row.net_tx_gb,
    current_cpu: row.current_cpu,
    cpu_capacity: row.cpu_capacity,
    current_ram_gb: row.current_ram_gb,
    ram_gb_capacity: row.ram_gb_capacity,
    current_net_rx_gb: row.current_net_rx_gb,
    current_net_tx_gb: row.current_net_tx_gb,
    // A progress reported by a dead worker no longer holds.
    installing: row.state === "RUNNING" ? row.installing : null,
    last_run: row.last_run_id && row.last_run_state ? { id: row.last_run_id, state: row.last_run_state } : null,
    ...(row.deployment_id !== null && { deployment_id: row.deployment_id }),
    graph: row.graph_id && row.project_id ? { project_id: row.project_id, graph_id: row.graph_id } : null,
  };
}

/** Of a local session nothing that names a process of the server's machine. */
function containerOf({ id, engine, engine_ref }: JobRow): string | null {
  const { pid, container } = engine_ref ?? {};
  if (typeof container === "string") return container;
  return typeof pid === "number" ? `${engine}-${id}` : null;
}
