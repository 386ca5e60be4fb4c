import type {
  ChangedGroup,
  Changed,
  DeleteManyResponse,
  NodeChange,
  PasteResponse,
  PositionsResponse,
} from "@miranda/contract/schemas/changes.ts";
import type { Edge, EdgeEnds, GraphResponse, Node, NodeGroup, Position } from "@miranda/contract/schemas/nodes.ts";

import { call } from "./http.ts";
import { edgeFields } from "./nodes.ts";

// The calls that concern a whole graph or several of its nodes at once.

const graph = (graphId: string) => `/api/v3/graphs/${graphId}`;

/** Unlike the first load, a refresh does not ask for template updates. */
export function refreshGraph(graphId: string): Promise<GraphResponse> {
  return call<GraphResponse>(`${graph(graphId)}/graph`);
}

export function putPositions(graphId: string, positions: Record<string, Position>): Promise<PositionsResponse> {
  return call(`${graph(graphId)}/positions`, { method: "POST", fields: { positions: JSON.stringify(positions) } });
}

/** All of the nodes are changed, or none. */
export function changeMany(graphId: string, changes: Readonly<Record<string, NodeChange>>): Promise<Changed> {
  return call(`${graph(graphId)}/nodes`, { method: "PATCH", fields: { changes: JSON.stringify(changes) } });
}

export interface Pasted {
  nodes: readonly Node[];
  edges: readonly Edge[];
  groups: readonly Omit<NodeGroup, "id">[];
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

export interface Deleted {
  ids: readonly number[];
  edges: readonly EdgeEnds[];
  groups: readonly string[];
}

export function deleteMany(graphId: string, { ids, edges, groups }: Deleted): Promise<DeleteManyResponse> {
  return call(`${graph(graphId)}/delete`, {
    method: "POST",
    fields: {
      metadata_ids: JSON.stringify(ids),
      edges: JSON.stringify(edges.map(edgeFields)),
      groups: JSON.stringify(groups),
    },
  });
}

export interface Restored {
  ids: readonly number[];
  edges: readonly Edge[];
  groups: readonly NodeGroup[];
}

export function restore(graphId: string, { ids, edges, groups }: Restored): Promise<PasteResponse> {
  return call(`${graph(graphId)}/restore`, {
    method: "POST",
    fields: {
      metadata_ids: JSON.stringify(ids),
      edges: JSON.stringify(
        edges.map((edge) => ({ ...edgeFields(edge), segments: edge.segments, label: edge.label ?? "" })),
      ),
      groups: JSON.stringify(groups),
    },
  });
}

export type GroupFields = Partial<Pick<NodeGroup, "name" | "colour" | "collapsed" | "metadata_ids">>;

export function createGroup(graphId: string, fields: GroupFields): Promise<ChangedGroup> {
  return call(`${graph(graphId)}/groups`, { method: "POST", fields: groupForm(fields) });
}

export function patchGroup(graphId: string, groupId: string, fields: GroupFields): Promise<ChangedGroup> {
  return call(`${graph(graphId)}/groups/${groupId}`, { method: "PATCH", fields: groupForm(fields) });
}

export function deleteGroup(graphId: string, groupId: string): Promise<Changed> {
  return call(`${graph(graphId)}/groups/${groupId}`, { method: "DELETE" });
}

function groupForm({ colour, metadata_ids, ...rest }: GroupFields) {
  return {
    ...rest,
    ...(colour !== undefined && { colour: colour ?? "" }),
    ...(metadata_ids && { metadata_ids: JSON.stringify(metadata_ids) }),
  };
}
