import { sameJson } from "../../json.ts";
import type { Edge, Node } from "../../schemas/nodes.ts";
import type { GraphContent } from "../content.ts";
import type { GraphPart, PartField } from "../graph-part.ts";
import type { Command, GroupFields, Since, Skipped, UndoSplit } from "./command.ts";

// Undoing must not overwrite what somebody else did since. A command remembers how it left the parts of the graph that it
// changed. What is no longer like that was changed by somebody else: a person's own later changes are undone first.

/** `done`: somebody else undid it already. */
export type PartState = "free" | "taken" | "done";

export function stateOf(now: unknown, left: unknown, wanted: unknown): PartState {
  if (sameJson(now, left)) return "free";
  return sameJson(now, wanted) ? "done" : "taken";
}

/** The fields of an undo, by their state. */
export function splitFields<Fields extends object>(
  wanted: Fields,
  now: Partial<Fields>,
  left: Partial<Fields> | undefined,
): Record<PartState, Partial<Fields>> {
  const split: Record<PartState, Partial<Fields>> = { free: {}, taken: {}, done: {} };
  for (const field in wanted)
    if (Object.hasOwn(wanted, field)) split[stateOf(now[field], left?.[field], wanted[field])][field] = wanted[field];
  return split;
}

export const nothingToUndo: UndoSplit = { free: undefined, taken: undefined, skipped: [] };

export function isEmpty(fields: object): boolean {
  return Object.keys(fields).length === 0;
}

export function changedPart(
  part: GraphPart,
  names: readonly string[],
  differs: readonly GraphPart[] = [part],
): Skipped {
  return { part, why: "changed", names, differs };
}

/** A node that is gone, so that nothing in it can be undone. */
export function deletedNode(id: number, { now, left }: Since): Skipped {
  const part: GraphPart = { type: "node", id };
  return { part, why: "deleted", names: [(now.nodes[id] ?? left.nodes[id])?.name ?? ""], differs: [part] };
}

export function skippedUndo(...skipped: Skipped[]): UndoSplit {
  return { ...nothingToUndo, skipped };
}

/** Some nodes, edges and groups of a graph. Those that do not exist are left out. */
export function pickParts(
  { nodes, edges, groups }: GraphContent,
  wanted: { ids?: readonly (number | string)[]; edges?: readonly string[]; groups?: readonly string[] },
): GraphContent {
  return {
    nodes: pick(nodes, wanted.ids ?? []),
    edges: pick(edges, wanted.edges ?? []),
    groups: pick(groups, wanted.groups ?? []),
  };
}

function pick<Item>(all: Readonly<Record<string, Item>>, keys: readonly (number | string)[]): Record<string, Item> {
  const picked: Record<string, Item> = {};
  for (const key of keys) {
    const item = all[key];
    if (item !== undefined) picked[key] = item;
  }
  return picked;
}

/** What a person drew of an edge. The rest of it comes from the attributes at its ends. */
export function drawingOf({ segments, label = "" }: Pick<Edge, "segments" | "label">) {
  return { segments, label };
}

/** A group with its members in the server's order. */
export function inOrder<Fields extends GroupFields>(group: Fields): Fields {
  const { metadata_ids } = group;
  return metadata_ids ? { ...group, metadata_ids: metadata_ids.toSorted((one, other) => one - other) } : group;
}

/** Commands that are one step. Undefined when there are none. */
export function together(commands: readonly Command[]): Command | undefined {
  const [only, ...more] = commands;
  return more.length > 0 ? { type: "several", commands } : only;
}

const comparedFields = [
  "name",
  "description",
  "colour",
  "body",
  "locked",
  "git",
  "git_branch",
  "update_policy",
  "position",
] as const satisfies readonly (PartField & keyof Node)[];

/** The parts of a node that are not as they were left. */
export function differencesOf(now: Node, left: Node | undefined, isOwnCode: (id: number) => boolean): GraphPart[] {
  const id = now.metadata_id;
  if (!left) return [{ type: "node", id }];
  const field = (name: PartField): GraphPart => ({ type: "field", id, field: name });
  const fields = comparedFields.filter((name) => !sameJson(now[name], left[name])).map(field);
  const [values, before] = [overridden(now), overridden(left)];
  const names = new Set([...values.keys(), ...before.keys()]);
  const changed = [...names].filter(
    (name) => values.has(name) !== before.has(name) || !sameJson(values.get(name), before.get(name)),
  );
  const isCodeTaken = now.source_code !== left.source_code && !isOwnCode(id);
  return [
    ...fields,
    ...changed.map((name): GraphPart => ({ type: "value", id, name })),
    ...(now.api.disabled === left.api.disabled ? [] : [field("disabled")]),
    ...(sameJson(now.tags.tags, left.tags.tags) ? [] : [field("tags")]),
    ...(isCodeTaken ? [field("code")] : []),
  ];
}

/** The values that people set, by attribute. */
function overridden(node: Node): Map<string, unknown> {
  return new Map(
    node.api.attributes.flatMap((attribute) =>
      "default" in attribute ? [[attribute.name, attribute.value] as const] : [],
    ),
  );
}
