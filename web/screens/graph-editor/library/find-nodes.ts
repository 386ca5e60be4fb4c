import type { Node } from "@miranda/contract/schemas/nodes.ts";

/** By name, then by tag or description. Names that start with the text come first. */
export function findNodes(nodes: readonly Node[], query: string): Node[] {
  const text = query.trim().toLowerCase();
  if (text === "") return nodes.toSorted((one, other) => one.name.localeCompare(other.name));
  const ranked: { node: Node; rank: number }[] = [];
  for (const node of nodes) {
    const name = node.name.toLowerCase();
    const at = name.indexOf(text);
    if (at >= 0) ranked.push({ node, rank: at === 0 ? 0 : 1 });
    else if (node.tags.tags.some((tag) => tag.toLowerCase().includes(text))) ranked.push({ node, rank: 2 });
    else if (String(node.metadata_id) === text) ranked.push({ node, rank: 0 });
    else if (node.description.toLowerCase().includes(text)) ranked.push({ node, rank: 3 });
  }
  return ranked
    .sort((one, other) => one.rank - other.rank || one.node.name.length - other.node.name.length)
    .map(({ node }) => node);
}
