import type { GraphResponse } from "@miranda/contract/schemas/nodes.ts";

import { call } from "./http.ts";

/** The first load also asks for template updates. */
const firstLoad = (graphId: string) => call<GraphResponse>(`/api/v3/graphs/${graphId}/graph?include_updates=true`);

const keepFor = 20_000;
let prefetched: { graphId: string; answer: Promise<GraphResponse> } | undefined;

/**
 * Loads the graph of a page's address while the code that will draw it still loads. After `shown`, when the page shows
 * something else first.
 */
export function prefetchGraph(path: string, shown?: Promise<unknown>): void {
  const graphId = /^\/designer\/projects\/[^/]+\/graphs\/([0-9a-f-]{36})(?:\/|$)/.exec(path)?.[1];
  if (graphId === undefined) return;
  const request = { graphId, answer: shown ? shown.then(() => firstLoad(graphId)) : firstLoad(graphId) };
  const drop = () => {
    if (prefetched === request) prefetched = undefined;
  };
  prefetched = request;
  // After a refusal, load it again once the person is signed in.
  request.answer.catch(drop);
  void (shown ?? Promise.resolve()).then(() => setTimeout(drop, keepFor));
}

/** Returns the prefetched answer, once, or loads the graph. */
export function loadFirstGraph(graphId: string): Promise<GraphResponse> {
  const request = prefetched;
  prefetched = undefined;
  return request?.graphId === graphId ? request.answer : firstLoad(graphId);
}
