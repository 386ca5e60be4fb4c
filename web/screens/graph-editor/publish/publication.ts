import type { Node } from "@miranda/contract/schemas/nodes.ts";
import type { Comparison, NodeEdits, VersionGraph, VersionNode } from "@miranda/contract/schemas/versions.ts";

/** Somebody whose work would be published. */
export interface Contributor {
  username: string;
  name: string;
  avatar: string | null;
  /** The nodes that they changed, by lineage. */
  nodes: readonly string[];
}

/** Who changed what is about to be published. The person who publishes comes first, then those who changed most. */
export function contributorsOf(edits: NodeEdits, changes: ReadonlySet<string>, me: string): Contributor[] {
  const found = new Map<string, Omit<Contributor, "nodes"> & { nodes: string[] }>();
  for (const { lineage, people } of edits) {
    if (!changes.has(lineage)) continue;
    for (const { username, first_name, last_name, avatar, moved_only } of people) {
      if (moved_only) continue;
      const known = found.get(username) ?? { username, name: `${first_name} ${last_name}`, avatar, nodes: [] };
      known.nodes.push(lineage);
      found.set(username, known);
    }
  }
  const rank = ({ username, nodes }: Contributor) => (username === me ? Infinity : nodes.length);
  return [...found.values()].toSorted((one, other) => rank(other) - rank(one));
}

/** Before anything was published, everything is new. */
export function everythingAdded(graph: VersionGraph): { before: VersionGraph; differences: Comparison } {
  return {
    before: { ...graph, nodes: {}, edges: [], groups: [], lineages: {} },
    differences: {
      nodes: Object.values(graph.nodes).map((node) => {
        const after = versionNode(node, graph.lineages[node.metadata_id] ?? node.id);
        return { lineage: after.lineage, change: "added", before: null, after, fields: [] };
      }),
      edges: graph.edges.flatMap((edge) => {
        const source = graph.lineages[edge.source_wob_key];
        const target = graph.lineages[edge.destination_wob_key];
        if (source === undefined || target === undefined || edge.implied === true) return [];
        const { source_transmitter_key: transmitter, destination_receiver_key: receiver, segments, label = "" } = edge;
        const after = { source, transmitter, target, receiver, segments, label };
        return [{ change: "added" as const, before: null, after }];
      }),
      groups: [],
    },
  };
}

/** A node of the canvas as a version has it. */
export function versionNode(node: Node, lineage: string): VersionNode {
  const { metadata_id, name, description, order, position, colour, locked, api, body, source_code } = node;
  return {
    ...{ lineage, metadata_id, name, description, order, position, colour, locked, api, body, source_code },
    class: node.class,
    tags: node.tags.tags,
    values: {},
    git: node.git,
    git_branch: node.git_branch,
    update_policy: node.update_policy,
    template: node.template ?? null,
  };
}

/** What is left out after these nodes are taken in or left out. */
export function toggled(leftOut: ReadonlySet<string>, nodes: readonly string[], isIn: boolean): Set<string> {
  const next = new Set(leftOut);
  for (const lineage of nodes) {
    if (isIn) next.delete(lineage);
    else next.add(lineage);
  }
  return next;
}
