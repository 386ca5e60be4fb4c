import type { GraphResponse } from "@miranda/contract/schemas/nodes.ts";

import { call } from "./http.ts";

/** The first load asks for template updates too. */
const firstLoad = (graphId: string) => call<GraphResponse>(`/api/v3/graphs/${graphId}/graph?include_updates=true`);

const keptFor = 20_000;
let early: { graphId: string; answer: Promise<GraphResponse> } | undefined;

/** Asks for the graph of the address a page is opened at, beside the load of the code that will draw it. */
export function askEarly(path: string): void {
  const graphId = /^\/designer\/projects\/[^/]+\/graphs\/([0-9a-f-]{36})(?:\/|$)/.exec(path)?.[1];
  if (graphId === undefined) return;
  const asked = { graphId, answer: firstLoad(graphId) };
  const drop = () => {
    if (early === asked) early = undefined;
  };
  early = asked;
  // What was refused to a visitor is asked again once they are signed in.
  asked.answer.catch(drop);
  setTimeout(drop, keptFor);
}

/** The answer that was asked for early, once, or a new one. */
export function loadFirstGraph(graphId: string): Promise<GraphResponse> {
  const asked = early;
  early = undefined;
  return asked?.graphId === graphId ? asked.answer : firstLoad(graphId);
}
