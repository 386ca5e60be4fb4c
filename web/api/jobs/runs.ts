import type { NodeOutput, NodeRun } from "@miranda/contract/schemas/processors.ts";

import { call } from "../http.ts";

const path = (jobId: string) => `/api/v3/jobs/${encodeURIComponent(jobId)}`;

/** What each node did in its last run of a session. */
export function readNodeRuns(jobId: string): Promise<NodeRun[]> {
  return call(`${path(jobId)}/nodes`);
}

/** The last output of each node; large outputs are shortened. */
export function readLastOutputs(jobId: string): Promise<NodeOutput[]> {
  return call(`${path(jobId)}/outputs?last=true`);
}

/** Every output of a node in its last run with outputs, page by page. */
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
