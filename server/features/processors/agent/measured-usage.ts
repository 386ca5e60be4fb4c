import type { Usage } from "../../../engines/engine.ts";
import type { Sample } from "../../billing/billing-service.ts";
import type { JobRow } from "../jobs/jobs-queries.ts";

export interface MeasuredSample extends Sample {
  /** When it was measured, by the agent's clock. */
  clock: number | undefined;
}

/**
 * How old samples are, when the agent says what its clock showed when it sent them. An agent that could not reach a
 * server sends old samples, which cost what held then. No sample is older than its session.
 */
export function setAges(job: Pick<JobRow, "started_at">, samples: MeasuredSample[], sentAt: number | undefined): void {
  if (sentAt === undefined || job.started_at === null) return;
  const oldest = Math.max(0, (Date.now() - job.started_at.getTime()) / 1_000);
  for (const sample of samples)
    if (sample.clock !== undefined) sample.age = Math.min(oldest, Math.max(0, sentAt - sample.clock));
}

/** Corrects the agent's samples by the engine's measurement, which also covers earlier gaps. */
export function correct(job: JobRow, samples: Sample[], usage: Usage): void {
  const last = samples.at(-1);
  if (!last) return;
  const before = samples.slice(0, -1).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, job.cpu_seconds);
  last.cpuSeconds = Math.max(0, usage.cpuSeconds - before);
  last.ramGb = usage.ramBytes / 1e9;
  last.network = usage;
}

export type Network = Pick<Usage, "receivedBytes" | "sentBytes">;

export function networkOf(job: JobRow, { receivedBytes, sentBytes }: Network) {
  const net_rx_gb = receivedBytes / 1e9;
  const net_tx_gb = sentBytes / 1e9;
  return {
    net_rx_gb,
    net_tx_gb,
    current_net_rx_gb: Math.max(0, net_rx_gb - job.net_rx_gb),
    current_net_tx_gb: Math.max(0, net_tx_gb - job.net_tx_gb),
  };
}
