import type { ChangedAttribute, NodeChange } from "../../schemas/changes.ts";
import type { Node, Position } from "../../schemas/nodes.ts";
import type { GraphContent } from "../content.ts";
import { changeNodes, patchNode, putAttribute, putNodes, putPositions, setValue, unsetValue } from "../edit-content.ts";
import {
  type Answer,
  type CommandKind,
  type CommandOf,
  type GraphCalls,
  revisionOf,
  type Since,
  type Skipped,
  type UndoSplit,
} from "./command.ts";
import { pickFields } from "./pick-fields.ts";
import {
  changedPart,
  deletedNode,
  isEmpty,
  nothingToUndo,
  pickParts,
  skippedUndo,
  splitFields,
  stateOf,
} from "./undo.ts";

export const patch: CommandKind<"patch"> = {
  apply: (content, { id, changes }) => patchNode(content, id, changes),
  inverse(before, command) {
    const node = before.nodes[command.id];
    return node && { ...command, changes: pickFields(node, command.changes) };
  },
  touched: (content, { id }) => pickParts(content, { ids: [id] }),
  split(command, since) {
    const { id, changes } = command;
    const node = since.now.nodes[id];
    if (!node) return skippedUndo(deletedNode(id, since));
    const { free, taken } = splitFields(changes, node, since.left.nodes[id]);
    return {
      free: isEmpty(free) ? undefined : { ...command, changes: free },
      taken: isEmpty(taken) ? undefined : { ...command, changes: taken },
      skipped: fieldsOf(taken).map((field) => changedPart({ type: "field", id, field }, [node.name])),
    };
  },
  async call(calls, { id, changes }, before) {
    const node = before.nodes[id];
    if (!node) throw new Error("The node is no longer there.");
    const { revision, ...changed } = await calls.patchNode(node, changes);
    return { revision, settle: (content) => putNodes(content, content.nodes[id] ? [changed] : []) };
  },
  broadcasts: ({ id, changes }) => [{ channel: "update[wob]", data: { metadata_id: id, changes } }],
};

export const move: CommandKind<"move"> = {
  apply: (content, { positions }) => putPositions(content, positions),
  inverse(before, { positions }) {
    const known = Object.keys(positions).flatMap((key) => {
      const node = before.nodes[key];
      return node ? [[key, node.position] as const] : [];
    });
    return known.length > 0 ? { type: "move", positions: Object.fromEntries(known) } : undefined;
  },
  touched: (content, { positions }) => pickParts(content, { ids: Object.keys(positions) }),
  split({ positions }, since) {
    const free: Record<string, Position> = {};
    const taken: Record<string, Position> = {};
    const skipped: Skipped[] = [];
    for (const [key, position] of Object.entries(positions)) {
      const node = since.now.nodes[key];
      if (!node) {
        skipped.push(deletedNode(Number(key), since));
        continue;
      }
      const state = stateOf(node.position, since.left.nodes[key]?.position, position);
      if (state === "free") free[key] = position;
      if (state !== "taken") continue;
      taken[key] = position;
      skipped.push(changedPart({ type: "field", id: node.metadata_id, field: "position" }, [node.name]));
    }
    return {
      free: isEmpty(free) ? undefined : { type: "move", positions: free },
      taken: isEmpty(taken) ? undefined : { type: "move", positions: taken },
      skipped,
    };
  },
  call(calls, { positions }) {
    const only = onlyEntry(positions);
    return revisionOf(only ? calls.putPosition(only.id, only.value) : calls.putPositions(positions));
  },
  broadcasts({ positions }) {
    const only = onlyEntry(positions);
    return only ? [{ channel: "update[wob]", data: { metadata_id: only.id, changes: { position: only.value } } }] : [];
  },
};

export const set: CommandKind<"set"> = {
  apply: (content, { id, name, value }) => setValue(content, id, name, value),
  inverse: previousValue,
  touched: touchedNode,
  split: (command, since) => splitValue(command, [command.value], since),
  call(calls, { id, name, value }, before) {
    const attribute = before.nodes[id]?.api.attributes.find((one) => one.name === name);
    return valueOf(calls.setAttribute(id, name, value, attribute?.control?.type === "json"));
  },
  broadcasts: ({ id, name, value }) => [{ channel: "update[attribute]", data: { metadata_id: id, name, value } }],
};

export const unset: CommandKind<"unset"> = {
  apply: (content, { id, name }) => unsetValue(content, id, name),
  inverse: previousValue,
  touched: touchedNode,
  split: (command, since) => splitValue(command, [], since),
  call: (calls, { id, name }) => valueOf(calls.unsetAttribute(id, name)),
  broadcasts: ({ id, name }) => [{ channel: "update[attribute]", data: { metadata_id: id, name, unset: true } }],
};

function previousValue(
  before: GraphContent,
  { id, name }: { id: number; name: string },
): CommandOf<"set"> | CommandOf<"unset"> | undefined {
  const attribute = before.nodes[id]?.api.attributes.find((one) => one.name === name);
  if (!attribute) return undefined;
  return "default" in attribute ? { type: "set", id, name, value: attribute.value } : { type: "unset", id, name };
}

function touchedNode(content: GraphContent, { id }: { id: number }): GraphContent {
  return pickParts(content, { ids: [id] });
}

/** `wanted` is empty where the value is to be the one that the code declares. */
function splitValue(
  command: CommandOf<"set"> | CommandOf<"unset">,
  wanted: readonly unknown[],
  since: Since,
): UndoSplit {
  const { id, name } = command;
  const node = since.now.nodes[id];
  if (!node) return skippedUndo(deletedNode(id, since));
  const part = { type: "value", id, name } as const;
  const now = valueSet(node, name);
  if (!now)
    return skippedUndo({ part, why: "deleted", names: [node.name], differs: [{ type: "field", id, field: "code" }] });
  const before = since.left.nodes[id];
  const state = stateOf(now, before && valueSet(before, name), wanted);
  if (state === "free") return { ...nothingToUndo, free: command };
  if (state === "done") return nothingToUndo;
  return { free: undefined, taken: command, skipped: [changedPart(part, [node.name])] };
}

/** The value that somebody set, in a list that is empty where nobody did. Undefined when the attribute is gone. */
function valueSet(node: Node, name: string): readonly unknown[] | undefined {
  const attribute = node.api.attributes.find((one) => one.name === name);
  if (!attribute) return undefined;
  return "default" in attribute ? [attribute.value] : [];
}

/** The server may store another value than the one it was sent: a number for a text. */
async function valueOf(call: Promise<ChangedAttribute>): Promise<Answer> {
  const { revision, ...changed } = await call;
  return { revision, settle: (content) => putAttribute(content, changed) };
}

export const change: CommandKind<"change"> = {
  apply: (content, { changes }) => changeNodes(content, changes),
  inverse(before, { changes }) {
    const known = Object.entries(changes).flatMap(([key, change]) => {
      const node = before.nodes[key];
      return node ? [[key, previousState(node, change)] as const] : [];
    });
    return known.length > 0 ? { type: "change", changes: Object.fromEntries(known) } : undefined;
  },
  touched: (content, { changes }) => pickParts(content, { ids: Object.keys(changes) }),
  split({ changes }, since) {
    const free: Record<string, NodeChange> = {};
    const taken: Record<string, NodeChange> = {};
    const skipped: Skipped[] = [];
    for (const [key, change] of Object.entries(changes)) {
      const node = since.now.nodes[key];
      if (!node) {
        skipped.push(deletedNode(Number(key), since));
        continue;
      }
      const split = splitChange(change, node, since.left.nodes[key]);
      if (!isEmpty(split.free)) free[key] = split.free;
      if (!isEmpty(split.taken)) taken[key] = split.taken;
      for (const field of fieldsOf(split.taken))
        skipped.push(changedPart({ type: "field", id: node.metadata_id, field }, [node.name]));
    }
    return {
      free: isEmpty(free) ? undefined : { type: "change", changes: free },
      taken: isEmpty(taken) ? undefined : { type: "change", changes: taken },
      skipped,
    };
  },
  call(calls, { changes }, before): Promise<Answer> {
    const only = onlyEntry(changes);
    const node = only && before.nodes[only.id];
    // One property of one node has a call of its own. Everything else is one call for all nodes.
    const call = node && callForOne(calls, node, only.value);
    return revisionOf(call ?? calls.changeMany(changes));
  },
  broadcasts({ changes }) {
    const only = onlyEntry(changes);
    if (!only) return [];
    const { id: metadata_id, value } = only;
    const { disabled, locked, colour } = value;
    return [
      ...(disabled === undefined ? [] : [{ channel: "setNodeDisabled", data: { metadata_id, disabled } } as const]),
      ...(locked === undefined
        ? []
        : [{ channel: "update[wob]", data: { metadata_id, changes: { locked } } } as const]),
      ...(colour === undefined
        ? []
        : [{ channel: "update[wob]", data: { metadata_id, changes: { colour } } } as const]),
    ];
  },
};

function callForOne(calls: GraphCalls, node: Node, wanted: NodeChange): Promise<{ revision: number }> | undefined {
  const { disabled, locked, colour, tags_added = [], tags_removed = [] } = wanted;
  const [tag, ...moreTags] = [...tags_added, ...tags_removed];
  const given = [disabled, locked, colour, tag].filter((one) => one !== undefined);
  if (given.length !== 1 || moreTags.length > 0) return undefined;
  if (disabled !== undefined) return calls.setDisabled(node.metadata_id, disabled);
  if (tag !== undefined) return calls.setTag(node.metadata_id, tag, tags_added.length > 0);
  return calls.patchNode(node, { ...(locked !== undefined && { locked }), ...(colour !== undefined && { colour }) });
}

/** The change that restores the node's present state. */
function previousState(node: Node, change: NodeChange): NodeChange {
  const tags = new Set(node.tags.tags);
  const added = change.tags_added?.filter((tag) => !tags.has(tag));
  const removed = change.tags_removed?.filter((tag) => tags.has(tag));
  return {
    ...(change.disabled !== undefined && { disabled: node.api.disabled }),
    ...(change.locked !== undefined && { locked: node.locked }),
    ...(change.colour !== undefined && { colour: node.colour }),
    ...(removed && { tags_added: removed }),
    ...(added && { tags_removed: added }),
  };
}

/** A tag is there or not, so nobody can have changed it to something else. */
function splitChange({ tags_added = [], tags_removed = [], ...fields }: NodeChange, now: Node, left: Node | undefined) {
  const tags = new Set(now.tags.tags);
  const [added, removed] = [tags_added.filter((tag) => !tags.has(tag)), tags_removed.filter((tag) => tags.has(tag))];
  const { free, taken } = splitFields(fields, changeable(now), left && changeable(left));
  return {
    free: {
      ...free,
      ...(added.length > 0 && { tags_added: added }),
      ...(removed.length > 0 && { tags_removed: removed }),
    },
    taken,
  };
}

function changeable({ api, locked, colour }: Node) {
  return { disabled: api.disabled, locked, colour };
}

function fieldsOf<Fields extends object>(fields: Fields): (keyof Fields)[] {
  const names: (keyof Fields)[] = [];
  for (const field in fields) if (Object.hasOwn(fields, field)) names.push(field);
  return names;
}

function onlyEntry<Value>(byId: Readonly<Record<string, Value>>): { id: number; value: Value } | undefined {
  const [only, ...more] = Object.entries(byId);
  return only && more.length === 0 ? { id: Number(only[0]), value: only[1] } : undefined;
}
