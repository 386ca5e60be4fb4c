import type { BriefComparison, VersionGraph } from "@miranda/contract/schemas/versions.ts";

import { call } from "./http.ts";

/** The workflow as it is, in place of a version. */
export const now = "now";

/** Two versions to compare. `with` is the workflow of the second one, when it is another workflow. */
export interface Sides {
  before: string;
  after: string;
  with?: string | undefined;
}

export const graphPath = (graphId: string) => `/api/v3/graphs/${graphId}`;
export const versionPath = (graphId: string, version: string) => `${graphPath(graphId)}/versions/${version}`;

const versionGraph = (graphId: string, version: string) => `${versionPath(graphId, version)}/graph`;
const comparison = (graphId: string, { before, after, with: other }: Sides) =>
  `${versionPath(graphId, before)}/compare/${after}?brief=true${other === undefined ? "" : `&with=${other}`}`;

const keepFor = 20_000;
const graphs = new Map<string, Promise<VersionGraph>>();
const comparisons = new Map<string, Promise<BriefComparison>>();

/**
 * Asks for what a screen of versions shows while its code still loads. Resolves when the answers are here; undefined when
 * the address is of another screen.
 */
export function prefetchVersions({ pathname, search }: Pick<Location, "pathname" | "search">) {
  const [, graphId, screen] =
    /^\/designer\/projects\/[^/]+\/graphs\/([0-9a-f-]{36})\/(history|compare)\/?$/.exec(pathname) ?? [];
  const params = new URLSearchParams(search);
  const shown = params.get(screen === "history" ? "version" : "before");
  if (graphId === undefined || shown === null || (screen === "history" && shown === now)) return undefined;
  const asked: Promise<unknown>[] = [ask(graphs, versionGraph(graphId, shown))];
  if (screen === "compare") {
    const sides = { before: shown, after: params.get("after") ?? now, with: params.get("with") ?? undefined };
    asked.push(ask(comparisons, comparison(graphId, sides)));
  }
  return Promise.allSettled(asked);
}

/** `revision` is that of the workflow as it is, when it is asked for. -1 while it is not known. */
export function loadVersionGraph(graphId: string, version: string, revision: number | undefined, signal: AbortSignal) {
  return early(graphs, versionGraph(graphId, version), revision, signal);
}

/** The client has the first version, so it is not sent again. `revision` as above. */
export function loadComparison(graphId: string, sides: Sides, revision: number | undefined, signal: AbortSignal) {
  return early(comparisons, comparison(graphId, sides), revision, signal);
}

function ask<Answer>(known: Map<string, Promise<Answer>>, path: string): Promise<Answer> {
  const answer = call<Answer>(path);
  known.set(path, answer);
  const drop = () => {
    if (known.get(path) === answer) known.delete(path);
  };
  // After a refusal, ask again once the person is signed in.
  answer.catch(drop);
  setTimeout(drop, keepFor);
  return answer;
}

/** The answer that was asked for early, or a call. An answer about the workflow as it was before this revision is too old. */
async function early<Answer extends { revision?: number | undefined }>(
  known: Map<string, Promise<Answer>>,
  path: string,
  revision: number | undefined,
  signal: AbortSignal,
): Promise<Answer> {
  const asked = known.get(path);
  // Once the revision is known, it is asked for again.
  if (revision !== -1) known.delete(path);
  const answer = await asked;
  if (answer && (revision === undefined || (answer.revision ?? -1) >= revision)) return answer;
  return call<Answer>(path, { signal });
}
