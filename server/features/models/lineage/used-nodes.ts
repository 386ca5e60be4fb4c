import { FileValue } from "@miranda/contract/schemas/files.ts";
import type { VersionNode } from "@miranda/contract/schemas/versions.ts";

import type { VersionContent } from "../../versions/version-content.ts";

/** The node that made a model, and every node whose values reach it, with the edges between them. */
interface UsedNodes {
  /** From the last to the first: the maker is the first. */
  nodes: VersionNode[];
  edges: { from: string; to: string }[];
}

/** `maker` is the number of the node. Undefined: not known, so every node with code counts. */
export function usedNodes(content: VersionContent, maker: number | undefined): UsedNodes {
  const sources = new Map<string, Set<string>>();
  for (const { source, target } of content.edges.values()) {
    const known = sources.get(target) ?? new Set();
    sources.set(target, known);
    known.add(source);
  }
  const all = [...content.nodes.values()].filter(({ class: kind }) => kind === "Code_block");
  const first = all.find(({ metadata_id }) => metadata_id === maker);
  const reached = first ? reach(first.lineage, sources) : new Set(all.map(({ lineage }) => lineage));
  const nodes = [...reached].flatMap((lineage) => content.nodes.get(lineage) ?? []);
  const edges = nodes.flatMap(({ lineage: to }) =>
    [...(sources.get(to) ?? [])].filter((from) => reached.has(from)).map((from) => ({ from, to })),
  );
  return { nodes, edges };
}

function reach(start: string, sources: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set([start]);
  // A set is walked through while it grows.
  for (const one of reached) for (const source of sources.get(one) ?? []) reached.add(source);
  return reached;
}

/** Files that people put into fields of a node. */
export function filesOf(node: VersionNode): FileValue[] {
  return Object.values(node.values).flatMap((value) => {
    const file = FileValue.safeParse(value);
    return file.success ? [file.data] : [];
  });
}
