import type { PasteResponse } from "@miranda/contract/schemas/changes.ts";
import type { GraphResponse, Position } from "@miranda/contract/schemas/nodes.ts";

import { call } from "./http.ts";

// Calls about a whole graph that are not commands.

const graph = (graphId: string) => `/api/v3/graphs/${graphId}`;

/** Unlike the first load, a refresh does not ask for template updates. */
export function refreshGraph(graphId: string): Promise<GraphResponse> {
  return call<GraphResponse>(`${graph(graphId)}/graph`);
}

/** What is pasted. Anybody can have written the clipboard's text, so the server checks each node, edge and group. */
export interface Pasted {
  nodes: readonly { position: Readonly<Record<string, unknown>> }[];
  edges: readonly unknown[];
  groups: readonly unknown[];
}

export function paste(graphId: string, { nodes, edges, groups }: Pasted, position?: Position): Promise<PasteResponse> {
  return call(`${graph(graphId)}/paste`, {
    method: "POST",
    fields: {
      nodes: JSON.stringify(nodes),
      edges: JSON.stringify(edges),
      groups: JSON.stringify(groups),
      position: position && JSON.stringify(position),
    },
  });
}
