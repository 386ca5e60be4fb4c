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
