import { groupPart } from "@miranda/contract/graph/group-part.ts";
import type { Edge, Node } from "@miranda/contract/schemas/nodes.ts";

import type { Pasted } from "../../../api/graph.ts";
import { isRecord } from "../../../is-record.ts";
import type { GraphContent } from "@miranda/contract/graph/content.ts";

const format = "miranda/nodes";

interface ClipboardText extends Pasted {
  format: typeof format;
}

/** The selection as text, so that other workflows, other installations and text editors can read it. */
export function toClipboard(nodes: readonly Node[], content: GraphContent): string {
  return JSON.stringify({ format, ...partOf(nodes, content) } satisfies ClipboardText, null, 2);
}

/** The nodes, the edges between them, and their groups. Implied edges are left out. */
export function partOf(nodes: readonly Node[], { edges, groups }: GraphContent): Pasted {
  const keys = new Set(nodes.map(({ key }) => key));
  const isInner = (edge: Edge) =>
    edge.implied !== true && keys.has(edge.source_wob_key) && keys.has(edge.destination_wob_key);
  return {
    nodes: nodes.map(withoutSecrets),
    edges: Object.values(edges).filter(isInner),
    groups: Object.values(groups).flatMap((group) => groupPart(group, keys)),
  };
}

function withoutSecrets({ update: _update, ...node }: Node): Node {
  if (!node.api.attributes.some(({ control }) => control?.type === "secret")) return node;
  const attributes = node.api.attributes.map((attribute) => {
    if (attribute.control?.type !== "secret") return attribute;
    const { default: declared, ...rest } = attribute;
    return { ...rest, value: declared ?? null };
  });
  return { ...node, api: { ...node.api, attributes } };
}

/** Reads nodes from clipboard text; undefined when it contains something else. The server checks each node. */
export function fromClipboard(text: string): Pasted | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { nodes, edges, groups } = value;
  const list: unknown[] = Array.isArray(nodes) ? nodes : isRecord(nodes) ? Object.values(nodes) : [];
  if (list.length === 0 || !list.every(isNodeLike)) return undefined;
  return {
    nodes: list,
    edges: Array.isArray(edges) ? edges : [],
    groups: Array.isArray(groups) ? groups : [],
  };
}

function isNodeLike(value: unknown): value is Pasted["nodes"][number] {
  return isRecord(value) && typeof value["class"] === "string" && "key" in value && isRecord(value["position"]);
}
