import { sameJson } from "../../json.ts";
import type { Edge, EdgeEnds } from "../../schemas/nodes.ts";
import { type GraphContent, newEdge } from "../content.ts";
import { edgeKey } from "../edge-key.ts";
import { putEdges, removeEdges } from "../edit-content.ts";
import { type CommandKind, type CommandOf, revisionOf } from "./command.ts";
import { drawingOf, isEmpty, nothingToUndo, pickParts, skippedUndo, splitFields } from "./undo.ts";
import { changedEdge, deletedEdge, missingEnds } from "./undo-edges.ts";

export const connect: CommandKind<"connect"> = {
  apply(content, { ends }) {
    // Somebody may have deleted a node while the edge was being sent.
    const hasEnds = content.nodes[ends.source_wob_key] && content.nodes[ends.destination_wob_key];
    return hasEnds ? putEdges(content, [newEdge(content, ends)]) : content;
  },
  inverse: (_before, { ends }) => ({ type: "disconnect", ends }),
  touched: touchedEdge,
  split(command, since) {
    if (since.now.edges[edgeKey(command.ends)]) return nothingToUndo;
    const gone = missingEnds(command.ends, since);
    return gone.length > 0 ? skippedUndo(...gone) : { ...nothingToUndo, free: command };
  },
  call: (calls, { ends }) => revisionOf(calls.createEdge(ends)),
  broadcasts: ({ ends }, before) => [{ channel: "create[edge]", data: newEdge(before, ends) }],
};

export const disconnect: CommandKind<"disconnect"> = {
  apply: (content, { ends }) => removeEdges(content, [ends]),
  inverse(before, { ends }) {
    const edge = before.edges[edgeKey(ends)];
    return edge && { type: "restore", ids: [], nodes: [], edges: [edge], groups: [] };
  },
  touched: touchedEdge,
  split(command, { now, left }) {
    const key = edgeKey(command.ends);
    const [edge, before] = [now.edges[key], left.edges[key]];
    if (!edge) return nothingToUndo;
    if (before && sameJson(drawingOf(edge), drawingOf(before))) return { ...nothingToUndo, free: command };
    return { free: undefined, taken: command, skipped: [changedEdge(command.ends, now)] };
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
  touched: touchedEdge,
  split(command, since) {
    const key = edgeKey(command.ends);
    const [edge, before] = [since.now.edges[key], since.left.edges[key]];
    if (!edge) return skippedUndo(deletedEdge(command.ends, since));
    const { free, taken } = splitFields(command.drawing, drawingOf(edge), before && drawingOf(before));
    return {
      free: isEmpty(free) ? undefined : { ...command, drawing: free },
      taken: isEmpty(taken) ? undefined : { ...command, drawing: taken },
      skipped: isEmpty(taken) ? [] : [changedEdge(command.ends, since.now)],
    };
  },
  call: (calls, { ends, drawing }) => revisionOf(calls.putEdge(ends, drawing)),
  broadcasts(command, before) {
    const edge = drawnEdge(before, command);
    return edge ? [{ channel: "create[edge]", data: edge }] : [];
  },
};

function touchedEdge(content: GraphContent, { ends }: { ends: EdgeEnds }): GraphContent {
  return pickParts(content, { edges: [edgeKey(ends)], ids: [ends.source_wob_key, ends.destination_wob_key] });
}

function drawnEdge(content: GraphContent, { ends, drawing }: CommandOf<"draw">): Edge | undefined {
  const edge = content.edges[edgeKey(ends)];
  if (!edge) return undefined;
  const { label: oldLabel, segments: oldSegments, ...rest } = edge;
  const label = drawing.label ?? oldLabel;
  // The server sends no label for an edge without one. Leave the field out here too.
  return { ...rest, segments: drawing.segments ? [...drawing.segments] : oldSegments, ...(label && { label }) };
}
