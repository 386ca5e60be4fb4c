import type { Node } from "@miranda/contract/schemas/nodes.ts";

// Each kind has one colour, for ports, edges and lists alike.

const hues: readonly (readonly [number, readonly string[]])[] = [
  [255, ["int", "integer", "float", "double", "number"]],
  [150, ["str", "string", "text"]],
  [25, ["bool", "boolean"]],
  [75, ["table", "dataframe", "rows", "csv"]],
  [310, ["model", "estimator"]],
  [200, ["list", "array", "tensor"]],
  [345, ["image", "picture", "audio", "video"]],
  [110, ["dict", "object", "json"]],
  [288, ["compute_policy"]],
  [62, ["storage_policy"]],
];
const hueOf = new Map(hues.flatMap(([hue, kinds]) => kinds.map((kind) => [kind, hue] as const)));

export function kindColour(kind: string): string {
  const name = kind.toLowerCase();
  if (name === "" || name === "any") return "var(--ink-faint)";
  return `oklch(0.66 0.13 ${hueOf.get(name) ?? hashedHue(name)})`;
}

function hashedHue(text: string): number {
  let value = 7;
  for (let at = 0; at < text.length; at += 1) value = (value * 31 + text.charCodeAt(at)) % 36_007;
  return value % 360;
}

export const classLooks = {
  Code_block: { colour: "var(--accent)", label: "Code" },
  compute_policy: { colour: kindColour("compute_policy"), label: "Compute" },
  storage_policy: { colour: kindColour("storage_policy"), label: "Storage" },
  note: { colour: "oklch(0.82 0.14 92)", label: "Note" },
  ghost: { colour: "var(--ink-faint)", label: "" },
} as const satisfies Record<Node["class"], { colour: string; label: string }>;

/** The node's own colour, or that of its class. */
export function nodeColour(node: Pick<Node, "class" | "colour">): string {
  return node.colour ?? classLooks[node.class].colour;
}
