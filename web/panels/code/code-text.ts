import type { Node } from "@miranda/contract/schemas/nodes.ts";

/** Editors use one line ending, so a different line ending is not a change. */
export function oneLineEnd(code: string): string {
  return code.replaceAll(/\r\n?/g, "\n");
}

/** The line number in an error of node code. */
export function errorLine(error: string | null): number | null {
  const line = /\(line (\d+)\)/.exec(error ?? "")?.[1];
  return line === undefined ? null : Number(line);
}

/** Suggests a commit message from what changed in the text. */
export function suggestedMessage(name: string, before: string, after: string): string {
  const was = definitions(before);
  const is = definitions(after);
  const added = [...is.keys()].filter((one) => !was.has(one));
  const removed = [...was.keys()].filter((one) => !is.has(one));
  const changed = [...is].filter(([one, body]) => was.has(one) && was.get(one) !== body).map(([one]) => one);
  if (added.length === 1 && removed.length === 0 && changed.length === 0) return `Add ${added[0]} to ${name}`;
  if (removed.length === 1 && added.length === 0 && changed.length === 0) return `Remove ${removed[0]} from ${name}`;
  if (changed.length === 1 && added.length === 0 && removed.length === 0) return `Change ${changed[0]} of ${name}`;
  return `Change ${name}`;
}

/** Every method and attribute by name, with its text. */
function definitions(code: string): Map<string, string> {
  const found = new Map<string, string>();
  let current: string | undefined;
  for (const line of code.split("\n")) {
    const name =
      /^(?:    |\t)?(?:async )?def (\w+)/.exec(line)?.[1] ?? /^(?:    |\t)(\w+)(?:\s*:[^=]+)?\s*=/.exec(line)?.[1];
    if (name !== undefined) current = name;
    else if (/^\S/.test(line)) current = undefined;
    if (current !== undefined && line.trim() !== "") found.set(current, `${found.get(current) ?? ""}${line}\n`);
  }
  return found;
}

/** Code blocks first, then by name: the list of files. */
export function codeNodes(nodes: Readonly<Record<string, Node>>): Node[] {
  return Object.values(nodes)
    .filter((node) => node.class === "Code_block")
    .toSorted((one, other) => one.name.localeCompare(other.name) || one.metadata_id - other.metadata_id);
}

/** The node in an address, by its number or its id. */
export function findNode(nodes: Readonly<Record<string, Node>>, wobId: string | undefined): Node | undefined {
  if (wobId === undefined) return undefined;
  return nodes[wobId] ?? Object.values(nodes).find((node) => node.id === wobId);
}
