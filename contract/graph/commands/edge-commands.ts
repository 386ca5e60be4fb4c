import type { Edge } from "../../schemas/nodes.ts";
import { type GraphContent, newEdge } from "../content.ts";
import { edgeKey } from "../edge-key.ts";
import { putEdges, removeEdges } from "../edit-content.ts";
import { type CommandKind, type CommandOf, revisionOf } from "./command.ts";

export const connect: CommandKind<"connect"> = {
  apply(content, { ends }) {
    // Somebody may have deleted a node while the edge was being sent.
    const hasEnds = content.nodes[ends.source_wob_key] && content.nodes[ends.destination_wob_key];
    return hasEnds ? putEdges(content, [newEdge(content, ends)]) : content;
  },
  inverse: (_before, { ends }) => ({ type: "disconnect", ends }),
  call: (calls, { ends }) => revisionOf(calls.createEdge(ends)),
  broadcasts: ({ ends }, before) => [{ channel: "create[edge]", data: newEdge(before, ends) }],
};

export const disconnect: CommandKind<"disconnect"> = {
  apply: (content, { ends }) => removeEdges(content, [ends]),
  inverse(before, { ends }) {
    const edge = before.edges[edgeKey(ends)];
    return edge && { type: "restore", ids: [], nodes: [], edges: [edge], groups: [] };
  },
  call: (calls, { ends }) => revisionOf(calls.deleteEdge(ends)),
  broadcasts: ({ ends }) => [{ channel: "delete[edge]", data: ends }],
};

export const draw: CommandKind<"draw"> = {
  apply(content, command) {
    const edge = drawnEdge(content, command);
    return edge ? putEdges(content, [edge]) : content;
  },
  inverse(before, command) {
    const edge = before.edges[edgeKey(command.ends)];
    return edge && { ...command, drawing: { segments: edge.segments, label: edge.label ?? "" } };
  },
  call: (calls, { ends, drawing }) => revisionOf(calls.putEdge(ends, drawing)),
  broadcasts(command, before) {
    const edge = drawnEdge(before, command);
    return edge ? [{ channel: "create[edge]", data: edge }] : [];
  },
};

function drawnEdge(content: GraphContent, { ends, drawing }: CommandOf<"draw">): Edge | undefined {
  const edge = content.edges[edgeKey(ends)];
  if (!edge) return undefined;
  const { label: oldLabel, segments: oldSegments, ...rest } = edge;
  const label = drawing.label ?? oldLabel;
  // The server sends no label for an edge without one. Leave the field out here too.
  return { ...rest, segments: drawing.segments ? [...drawing.segments] : oldSegments, ...(label && { label }) };
}
