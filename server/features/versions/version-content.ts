import type { VersionEdge, VersionGroup, VersionNode, VersionPart } from "@miranda/contract/schemas/versions.ts";

/** A whole version. */
export interface VersionContent {
  /** By lineage. */
  readonly nodes: ReadonlyMap<string, VersionNode>;
  /** By `versionEdgeKey`. */
  readonly edges: ReadonlyMap<string, VersionEdge>;
  /** By lineage. */
  readonly groups: ReadonlyMap<string, VersionGroup>;
}

export function versionEdgeKey({ source, transmitter, target, receiver }: VersionEdge): string {
  return JSON.stringify([source, transmitter, target, receiver]);
}

export function contentOfParts(parts: Iterable<VersionPart>): VersionContent {
  const nodes = new Map<string, VersionNode>();
  const edges = new Map<string, VersionEdge>();
  const groups = new Map<string, VersionGroup>();
  for (const part of parts) {
    for (const node of part.nodes) nodes.set(node.lineage, node);
    for (const edge of part.edges) edges.set(versionEdgeKey(edge), edge);
    for (const group of part.groups) groups.set(group.lineage, group);
  }
  return { nodes, edges, groups };
}

/** Nodes by their numbers, edges and groups by their keys. The database returns them in any order. */
export function inOrder({ nodes, edges, groups }: VersionContent): VersionContent {
  return {
    nodes: new Map([...nodes].toSorted(([, one], [, other]) => one.metadata_id - other.metadata_id)),
    edges: byKey(edges),
    groups: byKey(groups),
  };
}

function byKey<Item>(items: ReadonlyMap<string, Item>): ReadonlyMap<string, Item> {
  return new Map([...items].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
