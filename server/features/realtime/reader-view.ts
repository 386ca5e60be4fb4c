import { withoutCredentials } from "@miranda/contract/graph/git-address.ts";
import type { BroadcastChannel } from "@miranda/contract/events.ts";

type Fields = Record<string, unknown>;

/**
 * What of a broadcast everybody may see, and what readers may: they see no value of a secret control. Data of a shape
 * we do not know is handed on as it is; the clients that receive it check it.
 */
export function viewsOf(channel: BroadcastChannel, data: unknown): { writers: unknown; readers: unknown } {
  switch (channel) {
    case "create[wob]":
    case "update[CODE]":
      return views(data, forWriters, forReaders);
    case "update[wob]":
      return views(data, ...both((node) => inside(data, "changes", node)));
    case "create[blueprint]":
      return views(data, ...both((node) => inside(data, "nodes", (nodes) => each(nodes, node))));
    case "selection":
    case "setNodeDisabled":
    case "update[attribute]":
    case "create[edge]":
    case "delete[edge]":
    case "delete[wob]":
    case "setWaitingOnTag":
      return { writers: data, readers: data };
  }
}

type Change = (value: unknown) => unknown;

function views(data: unknown, writers: Change, readers: Change): { writers: unknown; readers: unknown } {
  return { writers: writers(data), readers: readers(data) };
}

function both(apply: (node: Change) => unknown): [Change, Change] {
  return [() => apply(forWriters), () => apply(forReaders)];
}

function forWriters(node: unknown): unknown {
  if (!isFields(node) || typeof node["git"] !== "string") return node;
  return { ...node, git: withoutCredentials(node["git"]) };
}

function forReaders(node: unknown): unknown {
  return inside(forWriters(node), "api", (api) =>
    inside(api, "attributes", (attributes) => (Array.isArray(attributes) ? attributes.map(hideSecret) : attributes)),
  );
}

function hideSecret(attribute: unknown): unknown {
  if (!isFields(attribute) || !isFields(attribute["control"]) || attribute["control"]["type"] !== "secret")
    return attribute;
  return { ...attribute, value: null, default: null };
}

function inside(value: unknown, key: string, change: Change): unknown {
  return isFields(value) && key in value ? { ...value, [key]: change(value[key]) } : value;
}

function each(values: unknown, change: Change): unknown {
  if (!isFields(values)) return values;
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
