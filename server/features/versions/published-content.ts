import type { VersionEdge, VersionGroup, VersionNode } from "@miranda/contract/schemas/versions.ts";

import { type VersionContent, versionEdgeKey } from "./version-content.ts";

/**
 * What is published when nodes are left out: these nodes and all edges at them are as in the last published version. A
 * new node that is left out is absent, and so are the edges at it.
 */
export function publishedContent(
  now: VersionContent,
  last: VersionContent | null,
  leftOut: ReadonlySet<string>,
): VersionContent {
  if (leftOut.size === 0) return now;
  const nodes = new Map<string, VersionNode>();
  for (const [lineage, node] of now.nodes) if (!leftOut.has(lineage)) nodes.set(lineage, node);
  for (const lineage of leftOut) {
    const node = last?.nodes.get(lineage);
    if (node) nodes.set(lineage, node);
  }
  const edges = new Map<string, VersionEdge>();
  const isAtLeftOut = ({ source, target }: VersionEdge) => leftOut.has(source) || leftOut.has(target);
  const kept = [
    ...[...now.edges.values()].filter((edge) => !isAtLeftOut(edge)),
    ...[...(last?.edges.values() ?? [])].filter(isAtLeftOut),
  ];
  for (const edge of kept) if (nodes.has(edge.source) && nodes.has(edge.target)) edges.set(versionEdgeKey(edge), edge);
  const groups = new Map<string, VersionGroup>();
  for (const [lineage, group] of now.groups) {
    const before = last?.groups.get(lineage)?.members ?? [];
    const members = [
      ...group.members.filter((member) => !leftOut.has(member)),
      ...before.filter((member) => leftOut.has(member)),
    ].filter((member) => nodes.has(member));
    groups.set(lineage, { ...group, members });
  }
  return { nodes, edges, groups };
}
