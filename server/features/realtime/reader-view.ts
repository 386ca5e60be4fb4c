import { withoutCredentials } from "@miranda/contract/graph/git-address.ts";
import type { Broadcast, BroadcastData } from "@miranda/contract/schemas/broadcasts.ts";

type PeerApi = BroadcastData["create[wob]"]["api"];
/** A node, or some of its fields. */
interface Fields {
  git?: string | null | undefined;
  api?: PeerApi | undefined;
}

/** Splits a broadcast for writers and readers: readers get no value of a secret control. */
export function viewsOf({ channel, data }: Broadcast): { writers: unknown; readers: unknown } {
  switch (channel) {
    case "create[wob]":
    case "update[CODE]":
      return { writers: forWriters(data), readers: forReaders(data) };
    case "update[wob]":
      return {
        writers: { ...data, changes: forWriters(data.changes) },
        readers: { ...data, changes: forReaders(data.changes) },
      };
    case "create[blueprint]":
      return {
        writers: { ...data, nodes: each(data.nodes, forWriters) },
        readers: { ...data, nodes: each(data.nodes, forReaders) },
      };
    case "selection":
    case "follow":
    case "view":
    case "setNodeDisabled":
    case "update[attribute]":
    case "create[edge]":
    case "delete[edge]":
    case "delete[wob]":
    case "setWaitingOnTag":
      return { writers: data, readers: data };
  }
}

function forWriters<Some extends Fields>(node: Some): Some {
  return typeof node.git === "string" ? { ...node, git: withoutCredentials(node.git) } : node;
}

function forReaders<Some extends Fields>(node: Some): Some {
  const shown = forWriters(node);
  return shown.api ? { ...shown, api: { ...shown.api, attributes: shown.api.attributes.map(hideSecret) } } : shown;
}

function hideSecret(attribute: PeerApi["attributes"][number]): PeerApi["attributes"][number] {
  return attribute.control?.type === "secret" ? { ...attribute, value: null, default: null } : attribute;
}

function each<Value>(values: Record<string, Value>, change: (value: Value) => Value): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
}
