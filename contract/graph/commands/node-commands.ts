import type { NodeChange } from "../../schemas/changes.ts";
import type { Node } from "../../schemas/nodes.ts";
import type { GraphContent } from "../content.ts";
import { changeNodes, patchNode, putNodes, putPositions, setValue, unsetValue } from "../edit-content.ts";
import { type Answer, type CommandKind, type CommandOf, type GraphCalls, revisionOf } from "./command.ts";
import { pickFields } from "./pick-fields.ts";

export const patch: CommandKind<"patch"> = {
  apply: (content, { id, changes }) => patchNode(content, id, changes),
  inverse(before, command) {
    const node = before.nodes[command.id];
    return node && { ...command, changes: pickFields(node, command.changes) };
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
  call: (calls, { id, name, value }) => revisionOf(calls.setAttribute(id, name, value)),
  broadcasts: ({ id, name, value }) => [{ channel: "update[attribute]", data: { metadata_id: id, name, value } }],
};

export const unset: CommandKind<"unset"> = {
  apply: (content, { id, name }) => unsetValue(content, id, name),
  inverse: previousValue,
  call: (calls, { id, name }) => revisionOf(calls.unsetAttribute(id, name)),
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

export const change: CommandKind<"change"> = {
  apply: (content, { changes }) => changeNodes(content, changes),
  inverse(before, { changes }) {
    const known = Object.entries(changes).flatMap(([key, change]) => {
      const node = before.nodes[key];
      return node ? [[key, previousState(node, change)] as const] : [];
    });
    return known.length > 0 ? { type: "change", changes: Object.fromEntries(known) } : undefined;
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

function onlyEntry<Value>(byId: Readonly<Record<string, Value>>): { id: number; value: Value } | undefined {
  const [only, ...more] = Object.entries(byId);
  return only && more.length === 0 ? { id: Number(only[0]), value: only[1] } : undefined;
}
