import type { Node } from "@miranda/contract/schemas/nodes.ts";

const policies = new Set(["compute", "storage"]);

/** Whether the node is a whole notebook or script, as the import made it. */
export function isImported({ source_code, api }: Pick<Node, "source_code" | "api">): boolean {
  const isOwn = /^from miranda\.notebook import run_(?:cells|script)$/m.test(source_code);
  return isOwn && api.attributes.every(({ name }) => policies.has(name));
}
