import type { VersionEdge } from "@miranda/contract/schemas/versions.ts";

import { AppError } from "../../platform/errors/app-error.ts";
import { type VersionContent, versionEdgeKey } from "./version-content.ts";

/**
 * The workflow as it is, with some nodes as they were in a version. An edge belongs to the node that it ends at, so a node
 * gets back the edges that end at it. A node that was deleted since also gets those that start at it.
 */
export function withNodesOf(now: VersionContent, version: VersionContent, lineages: readonly string[]): VersionContent {
  const chosen = new Set(lineages);
  const nodes = new Map(now.nodes);
  for (const lineage of chosen) {
    const node = version.nodes.get(lineage);
    if (!node) throw new AppError("version_nodes_unknown");
    nodes.set(lineage, node);
  }
  const edges = new Map<string, VersionEdge>();
  for (const [key, edge] of now.edges) if (!chosen.has(edge.target)) edges.set(key, edge);
  for (const edge of version.edges.values()) {
    const isBack = chosen.has(edge.target) || (chosen.has(edge.source) && !now.nodes.has(edge.source));
    if (isBack && nodes.has(edge.source) && nodes.has(edge.target)) edges.set(versionEdgeKey(edge), edge);
  }
  const groups = new Map(now.groups);
  for (const group of version.groups.values()) {
    const present = groups.get(group.lineage);
    const back = group.members.filter((member) => chosen.has(member) && !now.nodes.has(member));
    if (present && back.length > 0)
      groups.set(group.lineage, { ...present, members: [...new Set([...present.members, ...back])] });
  }
  return { nodes, edges, groups };
}
