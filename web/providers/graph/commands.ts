import { edgeKey } from "@miranda/contract/graph/edge-key.ts";
import type { NodeChange } from "@miranda/contract/schemas/changes.ts";
import type { Edge, EdgeEnds, Node, NodeGroup, Position } from "@miranda/contract/schemas/nodes.ts";

import type { Deleted, GroupFields, Restored } from "../../api/graph.ts";
import type { EdgeDrawing, NodeChanges } from "../../api/nodes.ts";
import {
  changeNodes,
  endsOf,
  type GraphContent,
  newEdge,
  patchNode,
  putEdges,
  putGroup,
  putNodes,
  putPositions,
  removeEdges,
  removeGroup,
  removeNodes,
  setValue,
  unsetValue,
} from "./graph-content.ts";

/** Everything a person does to a graph that can be undone. What makes new nodes is undone by deleting them. */
export type Command =
  | { type: "patch"; id: number; changes: NodeChanges }
  | { type: "move"; positions: Readonly<Record<string, Position>> }
  | { type: "set"; id: number; name: string; value: unknown }
  | { type: "unset"; id: number; name: string }
  /** Of one node or many, by metadata_id: all of them, or none. */
  | { type: "change"; changes: Readonly<Record<string, NodeChange>> }
  | { type: "connect"; ends: EdgeEnds }
  | { type: "disconnect"; ends: EdgeEnds }
  | { type: "draw"; ends: EdgeEnds; drawing: EdgeDrawing }
  | ({ type: "delete" } & Deleted)
  /** Brings back what was deleted: nodes by their numbers, and with them the edges that went with them. */
  | ({ type: "restore"; nodes: readonly Node[] } & Restored)
  | { type: "group"; fields: GroupFields }
  | { type: "regroup"; id: string; fields: GroupFields }
  | { type: "several"; commands: readonly Command[] };

/** The graph as the command would leave it. */
export function applyCommand(content: GraphContent, command: Command): GraphContent {
  switch (command.type) {
    case "patch":
      return patchNode(content, command.id, command.changes);
    case "move":
      return putPositions(content, command.positions);
    case "set":
      return setValue(content, command.id, command.name, command.value);
    case "unset":
      return unsetValue(content, command.id, command.name);
    case "change":
      return changeNodes(content, command.changes);
    case "connect":
      return canJoin(content, command.ends) ? putEdges(content, [newEdge(content, command.ends)]) : content;
    case "disconnect":
      return removeEdges(content, [command.ends]);
    case "draw": {
      const edge = content.edges[edgeKey(command.ends)];
      return edge ? putEdges(content, [{ ...edge, ...(command.drawing as Partial<Edge>) }]) : content;
    }
    case "delete":
      return command.groups.reduce(removeGroup, removeNodes(removeEdges(content, command.edges), command.ids));
    case "restore":
      return command.groups.reduce(putGroup, putEdges(putNodes(content, command.nodes), command.edges));
    case "group":
      // It is drawn when the server has given it a name of its own.
      return content;
    case "regroup": {
      const group = content.groups[command.id];
      return group ? putGroup(content, { ...group, ...(command.fields as Partial<NodeGroup>) }) : content;
    }
    case "several":
      return command.commands.reduce(applyCommand, content);
  }
}

/** Somebody may have deleted an end while the edge was on its way. */
function canJoin(content: GraphContent, { source_wob_key, destination_wob_key }: EdgeEnds): boolean {
  return content.nodes[source_wob_key] !== undefined && content.nodes[destination_wob_key] !== undefined;
}

/** What takes a command back, seen from the graph before it. Undefined where there is nothing to take back. */
export function inverseOf(content: GraphContent, command: Command): Command | undefined {
  switch (command.type) {
    case "patch": {
      const node = content.nodes[command.id];
      if (!node) return undefined;
      const fields = Object.keys(command.changes) as (keyof NodeChanges)[];
      return { ...command, changes: Object.fromEntries(fields.map((field) => [field, node[field]])) };
    }
    case "move": {
      const known = Object.keys(command.positions).flatMap((key) => {
        const node = content.nodes[key];
        return node ? [[key, node.position] as const] : [];
      });
      return known.length > 0 ? { type: "move", positions: Object.fromEntries(known) } : undefined;
    }
    case "set":
    case "unset": {
      const { id, name } = command;
      const attribute = content.nodes[id]?.api.attributes.find((one) => one.name === name);
      if (!attribute) return undefined;
      return "default" in attribute ? { type: "set", id, name, value: attribute.value } : { type: "unset", id, name };
    }
    case "change": {
      const known = Object.entries(command.changes).flatMap(([key, change]) => {
        const node = content.nodes[key];
        return node ? [[key, changedBack(node, change)] as const] : [];
      });
      return known.length > 0 ? { type: "change", changes: Object.fromEntries(known) } : undefined;
    }
    case "connect":
      return { type: "disconnect", ends: command.ends };
    case "disconnect": {
      const edge = content.edges[edgeKey(command.ends)];
      return edge && { type: "restore", ids: [], nodes: [], edges: [edge], groups: [] };
    }
    case "draw": {
      const edge = content.edges[edgeKey(command.ends)];
      return edge && { ...command, drawing: { segments: edge.segments, label: edge.label ?? "" } };
    }
    case "delete": {
      const gone = new Set(command.ids);
      const named = new Set(command.edges.map(edgeKey));
      const edges = Object.entries(content.edges).filter(
        ([key, edge]) => named.has(key) || gone.has(edge.source_wob_key) || gone.has(edge.destination_wob_key),
      );
      const nodes = command.ids.map((id) => content.nodes[id]).filter((node) => node !== undefined);
      const groups = command.groups.map((id) => content.groups[id]).filter((group) => group !== undefined);
      if (nodes.length + edges.length + groups.length === 0) return undefined;
      return {
        type: "restore",
        ids: nodes.map((node) => node.metadata_id),
        nodes,
        edges: edges.map(([, edge]) => edge),
        groups,
      };
    }
    case "restore": {
      const back = new Set(command.ids);
      const alone = command.edges.filter(
        (edge) => !back.has(edge.source_wob_key) && !back.has(edge.destination_wob_key),
      );
      return {
        type: "delete",
        ids: command.ids,
        edges: alone.map(endsOf),
        groups: command.groups.map(({ id }) => id),
      };
    }
    case "group":
      // Only the server's answer says what to take back.
      return undefined;
    case "regroup": {
      const group = content.groups[command.id];
      if (!group) return undefined;
      const fields = Object.keys(command.fields) as (keyof GroupFields)[];
      return { ...command, fields: Object.fromEntries(fields.map((field) => [field, group[field]])) };
    }
    case "several": {
      const inverses: Command[] = [];
      let before = content;
      for (const one of command.commands) {
        const inverse = inverseOf(before, one);
        if (inverse) inverses.unshift(inverse);
        before = applyCommand(before, one);
      }
      return inverses.length > 0 ? { type: "several", commands: inverses } : undefined;
    }
  }
}

/** What makes the node again what it is. */
function changedBack(node: Node, change: NodeChange): NodeChange {
  const had = new Set(node.tags.tags);
  const added = change.tags_added?.filter((tag) => !had.has(tag));
  const removed = change.tags_removed?.filter((tag) => had.has(tag));
  return {
    ...(change.disabled !== undefined && { disabled: node.api.disabled }),
    ...(change.locked !== undefined && { locked: node.locked }),
    ...(change.colour !== undefined && { colour: node.colour }),
    ...(removed && { tags_added: removed }),
    ...(added && { tags_removed: added }),
  };
}
