import type { Nano } from "@miranda/contract/billing/credits.ts";
import { isAlive } from "@miranda/contract/processor.ts";

import type { Usage } from "../../../engines/engine.ts";
import { storableJson } from "../../../platform/database/storable-json.ts";
import type { JobRow } from "../jobs/jobs-queries.ts";
import { installingJson, type JobChange, totalWith } from "./agent-queries.ts";
import { networkOf } from "./measured-usage.ts";
import { toBreak } from "./publish-batch.ts";
import type { Batch } from "./reduce-events.ts";

/** In seconds. */
const momentOfUse = 0.5;

interface Stored {
  /** The number of its last event. */
  last: number;
  logBytes: number;
  cutLine: number;
  outputBytes: number;
  warnedLimits: string[];
  usage: Usage | undefined;
  cost: Nano;
}

/** What a batch changes in the row of its session. */
export function changeOf(job: JobRow, batch: Batch, stored: Stored): JobChange {
  const latest = batch.samples.at(-1);
  const network = stored.usage ?? batch.network;
  return {
    last_event: stored.last,
    last_line: batch.lastLine,
    log_bytes: stored.logBytes,
    cut_line: stored.cutLine,
    output_bytes: stored.outputBytes,
    told_limits: stored.warnedLimits,
    ...(batch.state !== job.state && { state: batch.state, state_at: new Date(), ends_at: null }),
    ...(batch.paused !== undefined && { paused: batch.paused && storableJson(toBreak(job.id, batch.paused)) }),
    ...(batch.installing !== undefined && { installing: batch.installing && installingJson(batch.installing) }),
    ...(latest && {
      last_sample: latest.number,
      total_cost: totalWith(stored.cost),
      cpu_seconds: job.cpu_seconds + batch.samples.reduce((sum, one) => sum + one.cpuSeconds, 0),
      ram_gb_seconds: job.ram_gb_seconds + batch.samples.reduce((sum, one) => sum + one.ramGb * one.seconds, 0),
      // The agent also measures at the beginning and end of a run: a moment is too short for this.
      ...(latest.seconds >= momentOfUse && { current_cpu: latest.cpuSeconds / latest.seconds }),
      current_ram_gb: latest.ramGb,
    }),
    ...(latest && network && networkOf(job, network)),
    ...(!isAlive(batch.state) && { ended_at: new Date(), current_cpu: 0, current_ram_gb: 0 }),
  };
}
