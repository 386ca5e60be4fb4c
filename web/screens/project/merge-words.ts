import type { Comparison, Conflict } from "@miranda/contract/schemas/versions.ts";

const verbs = { added: "added", removed: "removed", changed: "changed", moved: "moved" } as const;
const things = { nodes: "node", edges: "edge", groups: "group" } as const;

/** How much a merge changes, for example `2 nodes changed`. Empty when nothing does. */
export function changeWords(comparison: Comparison): string[] {
  return (["nodes", "edges", "groups"] as const).flatMap((kind) => {
    const list: readonly { change: keyof typeof verbs }[] = comparison[kind];
    return (["added", "changed", "moved", "removed"] as const).flatMap((change) => {
      const count = list.filter((one) => one.change === change).length;
      const name = things[kind] + (count === 1 ? "" : "s");
      return count === 0 ? [] : [`${count.toLocaleString("en")} ${name} ${verbs[change]}`];
    });
  });
}

/** What a conflict is about, for example `code` or `value of rate`. */
export function conflictWords({ kind, field }: Conflict): string {
  if (kind === "code") return "code";
  if (kind === "deleted") return "removed on one side, changed on the other";
  if (kind === "value") return `value of ${field}`;
  return field === "" ? kind : field.replace(/^body\./, "");
}

/** One side of a conflict, in a few words. */
export function sideWords({ kind }: Conflict, value: unknown): string {
  if (value === null || value === undefined) return kind === "value" ? "not set" : "removed";
  if (typeof value === "string") return value.trim() === "" ? "empty" : value;
  if (kind === "deleted" || kind === "edge" || kind === "group") return "kept, with changes";
  return JSON.stringify(value);
}
