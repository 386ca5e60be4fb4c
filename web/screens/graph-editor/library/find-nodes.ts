import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { plainMarkdown } from "../../../ui/markdown/plain-markdown.ts";
import { startOf } from "../../../ui/text/drawable-text.ts";
import { noteItem } from "./palette-items.ts";

const titleLength = 100;

/** What a list calls a node. Most notes have no name of their own and are known by their first words. */
export function titleOf({ class: nodeClass, name, description }: Node): string {
  if (nodeClass !== "note") return name;
  const words = startOf(plainMarkdown(description), titleLength);
  return [name === noteItem.title ? "" : name, words].filter(Boolean).join(": ") || name;
}

/** By title, then by name, tag or text. Titles that start with the text come first. */
export function findNodes(nodes: readonly Node[], query: string): Node[] {
  const text = query.trim().toLowerCase();
  const titled = nodes.map((node) => ({ node, title: titleOf(node) }));
  if (text === "") return titled.sort((one, other) => one.title.localeCompare(other.title)).map(({ node }) => node);
  return titled
    .map(({ node, title }) => ({ node, title, rank: rankOf(node, title.toLowerCase(), text) }))
    .filter(({ rank }) => rank !== undefined)
    .sort((one, other) => (one.rank ?? 0) - (other.rank ?? 0) || one.title.length - other.title.length)
    .map(({ node }) => node);
}

/** Smaller is better. Undefined when nothing matches. */
function rankOf(node: Node, title: string, text: string): number | undefined {
  const at = title.indexOf(text);
  if (at >= 0) return at === 0 ? 0 : 1;
  if (String(node.metadata_id) === text) return 0;
  if (node.name.toLowerCase().includes(text)) return 1;
  if (node.tags.tags.some((tag) => tag.toLowerCase().includes(text))) return 2;
  return contains(node, text) ? 3 : undefined;
}

function contains({ class: nodeClass, description }: Node, text: string): boolean {
  if (description.toLowerCase().includes(text)) return true;
  return nodeClass === "note" && plainMarkdown(description).toLowerCase().includes(text);
}
