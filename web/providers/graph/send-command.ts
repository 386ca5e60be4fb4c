import { edgeKey } from "@miranda/contract/graph/edge-key.ts";

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
    case "disable":
      return onlyRevision(await nodeCalls.setDisabled(command.id, command.disabled));
    case "tag":
      return onlyRevision(await nodeCalls.setTag(command.id, command.tag, command.isSet));
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
      return { revision, settled: (content) => putGroup(content, group), inverse: { type: "ungroup", id: group.id } };
    }
    case "regroup":
      return onlyRevision(await graphCalls.patchGroup(graphId, command.id, command.fields));
    case "ungroup":
      return onlyRevision(await graphCalls.deleteGroup(graphId, command.id));
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

async function sendDelete(graphId: string, { ids, edges }: Command & { type: "delete" }): Promise<Sent> {
  const [id] = ids;
  const [edge] = edges;
  if (ids.length === 1 && id !== undefined && edges.length === 0) return nodeCalls.deleteNode(id);
  if (ids.length === 0 && edges.length === 1 && edge) return onlyRevision(await nodeCalls.deleteEdge(edge));
  return onlyRevision(await graphCalls.deleteMany(graphId, ids, edges));
}

async function sendRestore(graphId: string, { ids, edges }: Command & { type: "restore" }): Promise<Sent> {
  let sent: Sent = { revision: 0 };
  if (ids.length > 0) {
    const { revision, nodes, edges: back } = await graphCalls.restore(graphId, ids);
    sent = { revision, settled: (content) => putEdges(putNodes(content, Object.values(nodes)), back) };
  }
  const restored = new Set(ids);
  for (const edge of edges) {
    // The server brings the edges of restored nodes back by itself.
    if (restored.has(edge.source_wob_key) || restored.has(edge.destination_wob_key)) continue;
    ({ revision: sent.revision } = await nodeCalls.createEdge(edge));
    if (edge.segments.length > 0 || edge.label)
      ({ revision: sent.revision } = await nodeCalls.putEdge(edge, {
        segments: edge.segments,
        label: edge.label ?? "",
      }));
  }
  return sent;
}

/** Tells the others at once, before the server has decided. Moves of many nodes are left to the server's own event. */
const mostMovesTold = 50;

export function broadcastCommand(realtime: Pick<Realtime, "broadcast">, command: Command, before: GraphContent): void {
  switch (command.type) {
    case "patch":
      return realtime.broadcast("update[wob]", { metadata_id: command.id, changes: command.changes });
    case "move": {
      const entries = Object.entries(command.positions);
      if (entries.length > mostMovesTold) return;
      for (const [key, position] of entries)
        realtime.broadcast("update[wob]", { metadata_id: Number(key), changes: { position } });
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
    case "disable":
      return realtime.broadcast("setNodeDisabled", { metadata_id: command.id, disabled: command.disabled });
    case "connect":
      return realtime.broadcast("create[edge]", newEdge(before, command.ends));
    case "disconnect":
      return realtime.broadcast("delete[edge]", command.ends);
    case "draw": {
      const edge = before.edges[edgeKey(command.ends)];
      if (edge) realtime.broadcast("create[edge]", { ...edge, ...(command.drawing as Partial<typeof edge>) });
      return;
    }
    case "delete":
      if (command.ids.length > mostMovesTold) return;
      for (const ends of command.edges) realtime.broadcast("delete[edge]", ends);
      for (const metadata_id of command.ids) realtime.broadcast("delete[wob]", { metadata_id });
      return;
    case "restore":
      if (command.ids.length > mostMovesTold) return;
      for (const node of command.nodes) realtime.broadcast("create[wob]", node);
      for (const edge of command.edges) realtime.broadcast("create[edge]", edge);
      return;
    case "several":
      for (const one of command.commands) broadcastCommand(realtime, one, before);
      return;
    case "tag":
    case "group":
    case "regroup":
    case "ungroup":
      return;
  }
}
