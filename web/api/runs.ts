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

/** Everything a node showed in its last run that showed something, page by page. */
export async function readOutputsOf(jobId: string, node: number): Promise<NodeOutput[]> {
  const all: NodeOutput[] = [];
  for (;;) {
    const last = all.at(-1);
    const from = last ? `&run=${last.run}&after=${last.number}` : "";
    const page = await call<NodeOutput[]>(`${path(jobId)}/outputs?node=${node}${from}`);
    if (page.length === 0) return all;
    all.push(...page);
  }
}
