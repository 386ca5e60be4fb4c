import type { NodeOutput, NodeRun } from "@miranda/contract/schemas/processors.ts";

import { call } from "./http.ts";

const path = (jobId: string) => `/api/v3/jobs/${encodeURIComponent(jobId)}`;

/** What each node did in the last run of a session that it was part of. */
export function readNodeRuns(jobId: string): Promise<NodeRun[]> {
  return call(`${path(jobId)}/nodes`);
}

/** The last thing each node showed, large ones cut. */
export function readLastOutputs(jobId: string): Promise<NodeOutput[]> {
  return call(`${path(jobId)}/outputs?last=true`);
}

export function readOutputsOf(jobId: string, node: number): Promise<NodeOutput[]> {
  return call(`${path(jobId)}/outputs?node=${node}`);
}
