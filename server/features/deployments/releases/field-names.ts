import { deployment as limits } from "@miranda/contract/limits.ts";

const nameMax = 60;

/** A name for calls: small letters, digits and _. */
function nameOf(text: string): string {
  const plain = text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replace(/^[^a-z]+/, "")
    .slice(0, nameMax)
    .replace(/_+$/, "");
  return plain || "value";
}

/** Makes names that nothing else has: with the name of the node, then with a number. */
export function uniqueNames(taken: Iterable<string>): (own: string, node: string) => string {
  const used = new Set(taken);
  return (own, node) => {
    const name = firstFree(nameOf(own), nameOf(`${node}_${own}`), used);
    used.add(name);
    return name;
  };
}

function firstFree(own: string, withNode: string, used: ReadonlySet<string>): string {
  if (!used.has(own)) return own;
  if (!used.has(withNode)) return withNode;
  for (let count = 2; ; count++) {
    const ending = `_${count}`;
    const name = withNode.slice(0, nameMax - ending.length) + ending;
    if (!used.has(name)) return name;
  }
}

/** What people read: `learning_rate` becomes "Learning rate". */
export function labelOf(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/[_\s]+/g, " ")
    .trim();
  const text = words.charAt(0).toUpperCase() + words.slice(1);
  return text.slice(0, limits.labelMax) || "Value";
}
