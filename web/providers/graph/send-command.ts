import { edgeKey } from "@miranda/contract/graph/edge-key.ts";
import type { NodeChange } from "@miranda/contract/schemas/changes.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import * as graphCalls from "../../api/graph.ts";
import * as nodeCalls from "../../api/nodes.ts";
import type { Realtime } from "../../api/socket.ts";
import type { Command } from "./commands.ts";
import { type GraphContent, newEdge, putEdges, putGroup, putNodes } from "./graph-content.ts";
import type { Apply } from "./graph-store.ts";

export interface Sent {
  revision: number;
  /** What the server made of it, where that is more than what was asked. */
  settled?: Apply;
  /** What takes it back, where only the answer tells. */
  inverse?: Command;
}

/** Makes the calls of a command. `before` is the graph as it was when the command was given. */
export async function sendCommand(graphId: string, command: Command, before: GraphContent): Promise<Sent> {
  switch (command.type) {
    case "patch": {
      const node = before.nodes[command.id];
      if (!node) throw new Error("The node is no longer there.");
      const { revision, ...changed } = await nodeCalls.patchNode(node, command.changes);
      return { revision, settled: (content) => putNodes(content, content.nodes[command.id] ? [changed] : []) };
    }
    case "move":
      return sendMove(graphId, command.positions);
    case "set":
      return nodeCalls.setAttribute(command.id, command.name, command.value);
    case "unset":
      return nodeCalls.unsetAttribute(command.id, command.name);
    case "change":
      return sendChange(graphId, command.changes, before);
    case "connect":
      return onlyRevision(await nodeCalls.createEdge(command.ends));
    case "disconnect":
      return onlyRevision(await nodeCalls.deleteEdge(command.ends));
    case "draw":
      return onlyRevision(await nodeCalls.putEdge(command.ends, command.drawing));
    case "delete":
      return sendDelete(graphId, command);
    case "restore":
      return sendRestore(graphId, command);
    case "group": {
      const { revision, ...group } = await graphCalls.createGroup(graphId, command.fields);
      return {
        revision,
        settled: (content) => putGroup(content, group),
        inverse: { type: "delete", ids: [], edges: [], groups: [group.id] },
      };
    }
    case "regroup":
      return onlyRevision(await graphCalls.patchGroup(graphId, command.id, command.fields));
    case "several": {
      let sent: Sent = { revision: 0 };
      for (const one of command.commands) sent = onlyRevision(await sendCommand(graphId, one, before));
      return sent;
    }
  }
}

function onlyRevision({ revision }: { revision: number }): Sent {
  return { revision };
}

async function sendMove(graphId: string, positions: (Command & { type: "move" })["positions"]): Promise<Sent> {
  const entries = Object.entries(positions);
  const [only] = entries;
  if (entries.length === 1 && only) return nodeCalls.putPosition(graphId, Number(only[0]), only[1]);
  return onlyRevision(await graphCalls.putPositions(graphId, positions));
}

/** One thing about one node has a call of its own; everything else is one call for all of them. */
async function sendChange(
  graphId: string,
  changes: (Command & { type: "change" })["changes"],
  before: GraphContent,
): Promise<Sent> {
  const [only, ...more] = Object.entries(changes);
  const node = only && before.nodes[only[0]];
  const call = node && more.length === 0 ? singleCall(node, only[1]) : undefined;
  return onlyRevision(await (call ?? graphCalls.changeMany(graphId, changes)));
}

function singleCall(node: Node, change: NodeChange): Promise<{ revision: number }> | undefined {
  const { disabled, locked, colour, tags_added = [], tags_removed = [] } = change;
  const [tag, ...moreTags] = [...tags_added, ...tags_removed];
  const given = [disabled, locked, colour, tag].filter((one) => one !== undefined);
  if (given.length !== 1 || moreTags.length > 0) return undefined;
  if (disabled !== undefined) return nodeCalls.setDisabled(node.metadata_id, disabled);
  if (tag !== undefined) return nodeCalls.setTag(node.metadata_id, tag, tags_added.length > 0);
  return nodeCalls.patchNode(node, {
    ...(locked !== undefined && { locked }),
    ...(colour !== undefined && { colour }),
  });
}

async function sendDelete(graphId: string, command: Command & { type: "delete" }): Promise<Sent> {
  const { ids, edges, groups } = command;
  const [[id], [edge], [group]] = [ids, edges, groups];
  if (ids.length + edges.length + groups.length > 1) return onlyRevision(await graphCalls.deleteMany(graphId, command));
  if (id !== undefined) return nodeCalls.deleteNode(id);
  if (edge) return onlyRevision(await nodeCalls.deleteEdge(edge));
  if (group !== undefined) return onlyRevision(await graphCalls.deleteGroup(graphId, group));
  return { revision: 0 };
}

async function sendRestore(graphId: string, command: Command & { type: "restore" }): Promise<Sent> {
  const { ids, groups } = command;
  const restored = new Set(ids);
  // The server brings the edges of restored nodes back by itself.
  const edges = command.edges.filter(
    (edge) => !restored.has(edge.source_wob_key) && !restored.has(edge.destination_wob_key),
  );
  const back = await graphCalls.restore(graphId, { ids, edges, groups });
  return {
    revision: back.revision,
    settled: (content) =>
      back.groups.reduce(putGroup, putEdges(putNodes(content, Object.values(back.nodes)), back.edges)),
  };
}

/** Tells the others at once, before the server has decided. What is about many nodes is left to the server's one event. */
export function broadcastCommand(realtime: Pick<Realtime, "broadcast">, command: Command, before: GraphContent): void {
  switch (command.type) {
    case "patch":
      return realtime.broadcast("update[wob]", { metadata_id: command.id, changes: command.changes });
    case "move": {
      const [only, ...more] = Object.entries(command.positions);
      if (only && more.length === 0)
        realtime.broadcast("update[wob]", { metadata_id: Number(only[0]), changes: { position: only[1] } });
      return;
    }
    case "set":
      return realtime.broadcast("update[attribute]", {
        metadata_id: command.id,
        name: command.name,
        value: command.value,
      });
    case "unset":
      return realtime.broadcast("update[attribute]", { metadata_id: command.id, name: command.name, unset: true });
    case "change": {
      const [only, ...more] = Object.entries(command.changes);
      if (!only || more.length > 0) return;
      const [metadata_id, { disabled, locked, colour }] = [Number(only[0]), only[1]];
      if (disabled !== undefined) realtime.broadcast("setNodeDisabled", { metadata_id, disabled });
      if (locked !== undefined) realtime.broadcast("update[wob]", { metadata_id, changes: { locked } });
      if (colour !== undefined) realtime.broadcast("update[wob]", { metadata_id, changes: { colour } });
      return;
    }
    case "connect":
      return realtime.broadcast("create[edge]", newEdge(before, command.ends));
    case "disconnect":
      return realtime.broadcast("delete[edge]", command.ends);
    case "draw": {
      const edge = before.edges[edgeKey(command.ends)];
      if (edge) realtime.broadcast("create[edge]", { ...edge, ...(command.drawing as Partial<typeof edge>) });
      return;
    }
    case "delete": {
      const [[id], [ends]] = [command.ids, command.edges];
      if (command.ids.length + command.edges.length > 1) return;
      if (id !== undefined) realtime.broadcast("delete[wob]", { metadata_id: id });
      if (ends) realtime.broadcast("delete[edge]", ends);
      return;
    }
    case "restore": {
      const [node, ...more] = command.nodes;
      if (more.length > 0) return;
      if (node) realtime.broadcast("create[wob]", node);
      for (const edge of command.edges) realtime.broadcast("create[edge]", edge);
      return;
    }
    case "several":
      for (const one of command.commands) broadcastCommand(realtime, one, before);
      return;
    case "group":
    case "regroup":
      return;
  }
}
