import type { VersionEdge, VersionGroup, VersionNode, VersionPart } from "@miranda/contract/schemas/versions.ts";

import { sortSteps, type Steps } from "../../platform/time-slicing.ts";

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
export function* orderSteps({ nodes, edges, groups }: VersionContent): Steps<VersionContent> {
  return {
    nodes: new Map(yield* sortSteps([...nodes], ([, one], [, other]) => one.metadata_id - other.metadata_id)),
    edges: new Map(yield* sortSteps([...edges], byKey)),
    groups: new Map(yield* sortSteps([...groups], byKey)),
  };
}

export function byKey([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
