import type { Edge } from "../../schemas/nodes.ts";
import { endsOf } from "../content.ts";
import { edgeKey } from "../edge-key.ts";
import { putEdges, putGroup, putNodes, removeEdges, removeGroup, removeNodes } from "../edit-content.ts";
import { type CommandKind, revisionOf } from "./command.ts";
import { splitDelete, splitRestore } from "./undo-parts.ts";
import { pickParts } from "./undo.ts";

/** Deletes nodes with their edges, edges, and groups without their nodes. */
export const deletePart: CommandKind<"delete"> = {
  apply: (content, { ids, edges, groups }) => groups.reduce(removeGroup, removeNodes(removeEdges(content, edges), ids)),
  inverse(before, command) {
    const isDeleted = touches(command.ids);
    const named = new Set(command.edges.map(edgeKey));
    const edges = Object.entries(before.edges).filter(([key, edge]) => named.has(key) || isDeleted(edge));
    const nodes = command.ids.map((id) => before.nodes[id]).filter((node) => node !== undefined);
    const groups = command.groups.map((id) => before.groups[id]).filter((group) => group !== undefined);
    if (nodes.length + edges.length + groups.length === 0) return undefined;
    return {
      type: "restore",
      ids: nodes.map((node) => node.metadata_id),
      nodes,
      edges: edges.map(([, edge]) => edge),
      groups,
    };
  },
  touched(content, { ids, edges, groups }) {
    const isTouched = touches(ids);
    const touching = Object.values(content.edges).filter(isTouched);
    return pickParts(content, { ids, edges: [...touching, ...edges].map(edgeKey), groups });
  },
  split: splitDelete,
  async call(calls, { ids, edges, groups }) {
    const [[id], [edge], [group]] = [ids, edges, groups];
    if (ids.length + edges.length + groups.length > 1) return revisionOf(calls.deleteMany({ ids, edges, groups }));
    if (id !== undefined) return revisionOf(calls.deleteNode(id));
    if (edge) return revisionOf(calls.deleteEdge(edge));
    if (group !== undefined) return revisionOf(calls.deleteGroup(group));
    return { revision: 0 };
  },
  broadcasts({ ids, edges }) {
    const [[id], [ends]] = [ids, edges];
    if (ids.length + edges.length > 1) return [];
    if (id !== undefined) return [{ channel: "delete[wob]", data: { metadata_id: id } }];
    return ends ? [{ channel: "delete[edge]", data: ends }] : [];
  },
};

export const restore: CommandKind<"restore"> = {
  apply: (content, { nodes, edges, groups }) => groups.reduce(putGroup, putEdges(putNodes(content, nodes), edges)),
  inverse: (_before, { ids, edges, groups }) => ({
    type: "delete",
    ids,
    edges: edges.filter(withoutNodes(ids)).map(endsOf),
    groups: groups.map(({ id }) => id),
  }),
  touched: (content, { ids, edges, groups }) =>
    pickParts(content, {
      ids: [...ids, ...edges.flatMap((edge) => [edge.source_wob_key, edge.destination_wob_key])],
      edges: edges.map(edgeKey),
      groups: groups.map(({ id }) => id),
    }),
  split: splitRestore,
  async call(calls, { ids, edges, groups }) {
    // The server restores the edges of restored nodes by itself.
    const restored = await calls.restore({ ids, edges: edges.filter(withoutNodes(ids)), groups });
    return {
      revision: restored.revision,
      settle: (content) =>
        restored.groups.reduce(putGroup, putEdges(putNodes(content, Object.values(restored.nodes)), restored.edges)),
    };
  },
  broadcasts({ nodes, edges }) {
    const [node, ...more] = nodes;
    if (more.length > 0) return [];
    return [
      ...(node ? [{ channel: "create[wob]", data: node } as const] : []),
      ...edges.map((edge) => ({ channel: "create[edge]", data: edge }) as const),
    ];
  },
};

function touches(ids: readonly number[]): (edge: Edge) => boolean {
  const all = new Set(ids);
  return ({ source_wob_key, destination_wob_key }) => all.has(source_wob_key) || all.has(destination_wob_key);
}

function withoutNodes(ids: readonly number[]): (edge: Edge) => boolean {
  const isTouched = touches(ids);
  return (edge) => !isTouched(edge);
}
