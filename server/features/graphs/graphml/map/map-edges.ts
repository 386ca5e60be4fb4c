import type { Keys, Value } from "../parse/keys.ts";
import { cut, takeEdgeText } from "./labels.ts";
import type { Notes } from "../notes.ts";
import { quoted } from "../notes.ts";
import { isOwnEdge, readOwnEdge } from "./own-format.ts";
import type { NodePorts } from "./ports.ts";
import { createNodePorts } from "./ports.ts";
import type { RawEdge } from "../parse/raw-graph.ts";
import type { Topology, TopologyEdge } from "../parse/topology.ts";
import type { GraphmlLimits, ImportedEdge, ImportedNode } from "../types.ts";

interface EdgeContext {
  topology: Topology;
  keys: Keys;
  notes: Notes;
  limits: GraphmlLimits;
  nodes: ImportedNode[];
  isOwn: boolean;
}

type Ends = Pick<ImportedEdge, "transmitter" | "receiver">;

/** Edges between the ports of the mapped nodes. Fixes the names of receivers and transmitters. */
export function mapEdges(context: EdgeContext): ImportedEdge[] {
  const { topology, nodes, notes } = context;
  const ports = topology.nodes.map(() => createNodePorts(context.limits.attributesPerNode));
  settlePorts(context, ports);
  const seen = new Map<string, number>();
  const edges: ImportedEdge[] = [];
  for (const edge of topology.edges) {
    const values = edge.raw ? context.keys.valuesOf("edge", edge.raw) : [];
    const restored = context.isOwn && isOwnEdge(values) ? readOwnEdge(values, notes) : undefined;
    const ends = separate(
      context,
      edge,
      restored ?? portsOf(ports, edge),
      seen,
      restored ? undefined : ports[edge.target],
    );
    if (!ends) continue;
    const keys = { sourceKey: nodes[edge.source]!.key, targetKey: nodes[edge.target]!.key };
    edges.push({ ...keys, ...(restored ?? describe(context, edge, values)), ...ends, directed: edge.directed });
  }
  for (const [index, { receivers, transmitters }] of ports.entries())
    Object.assign(nodes[index]!, { receivers, transmitters });
  return edges;
}

function settlePorts({ topology, notes }: EdgeContext, ports: NodePorts[]): void {
  for (const { source, target, sourcePort, targetPort } of topology.edges) {
    if (sourcePort !== undefined) ports[source]!.use(sourcePort, "transmitter");
    if (targetPort !== undefined) ports[target]!.use(targetPort, "receiver");
  }
  for (const [index, node] of topology.nodes.entries()) {
    if (node.ports.length > 0) notes.add("Ports became receivers and transmitters; where they are drawn is not kept");
    ports[index]!.settle(node.ports);
  }
}

function portsOf(ports: NodePorts[], { source, target, sourcePort, targetPort }: TopologyEdge): Ends {
  return {
    transmitter: ports[source]!.name(sourcePort, "transmitter"),
    receiver: ports[target]!.name(targetPort, "receiver"),
  };
}

/** Two edges never connect the same pair of attributes, so each further parallel edge gets its own receiver. */
function separate(
  { notes }: EdgeContext,
  edge: TopologyEdge,
  ends: Ends,
  seen: Map<string, number>,
  target: NodePorts | undefined,
): Ends | undefined {
  const key = JSON.stringify([edge.source, ends.transmitter, edge.target, ends.receiver]);
  const number = (seen.get(key) ?? 0) + 1;
  seen.set(key, number);
  if (number === 1) return ends;
  const receiver = target?.parallel(ends.receiver, number);
  if (receiver === undefined) notes.add("An edge between the same two ports was kept only once");
  else notes.add("A parallel edge got a receiver of its own");
  return receiver === undefined ? undefined : { ...ends, receiver };
}

function describe({ notes, limits }: EdgeContext, edge: TopologyEdge, values: Value[]): Pick<ImportedEdge, "text"> {
  if (!edge.directed) notes.add("An undirected edge became an edge from its source to its target");
  if (!edge.raw) return {};
  const text = takeEdgeText(values, edge.raw)?.trim() ?? "";
  noteLosses(notes, edge.raw, values);
  if (text.length > limits.nameLength) notes.add("A long text of an edge was cut", { example: text });
  return text === "" ? {} : { text: cut(text, limits.nameLength) };
}

function noteLosses(notes: Notes, edge: RawEdge, values: Value[]): void {
  if (edge.graphics) notes.add("Lines, arrows and fonts of edges are not kept");
  if (edge.graphics?.bends) notes.add("The bends of edges are not kept");
  for (const { name, text } of values) {
    if (text.trim() !== "") notes.add(`Data of edges is not kept: ${quoted(name)}`);
  }
}
