import { GraphmlError } from "./graphml-error.ts";
import type { Notes } from "../notes.ts";
import type { RawDocument, RawEdge, RawHyperedge, RawNode } from "./raw-graph.ts";
import type { GraphmlLimits } from "../types.ts";

export interface TopologyEdge {
  source: number;
  target: number;
  sourcePort?: string;
  targetPort?: string;
  directed: boolean;
  /** Absent for the edges of a junction. */
  raw?: RawEdge;
}

/** Nodes and edges by index: those of the file, nodes it did not declare, and a junction for each hyperedge. */
export interface Topology {
  nodes: RawNode[];
  keys: string[];
  edges: TopologyEdge[];
  junctions: Set<number>;
  /** Nodes that hold a nested graph. */
  holders: Set<number>;
}

export function readTopology(document: RawDocument, notes: Notes, limits: GraphmlLimits): Topology {
  const nodes = [...document.nodes];
  const index = createIndex(document, nodes);

  function find(id: string, graph: number): number {
    const known = index.find(id, graph);
    if (known !== undefined) return known;
    if (nodes.length >= limits.nodes) throw tooManyNodes(limits);
    notes.add("Edges lead to nodes that the file does not hold; these nodes were added", { example: id });
    return index.add({ id, graph: document.graphs[graph]?.top ?? graph, data: [], description: "", ports: [] });
  }

  const edges = document.edges.map((raw): TopologyEdge => {
    const source = find(raw.source, raw.graph);
    const target = find(raw.target, raw.graph);
    return { source, target, directed: raw.directed, raw, ...portsOf(raw) };
  });
  const junctions = new Set<number>();
  for (const [at, hyperedge] of document.hyperedges.entries()) {
    if (nodes.length >= limits.nodes) throw tooManyNodes(limits);
    const junction = index.add(
      { ...hyperedge, id: hyperedge.id || `Hyperedge ${at + 1}`, ports: [] },
      { isNamed: false },
    );
    junctions.add(junction);
    edges.push(...junctionEdges(hyperedge, junction, (id) => find(id, hyperedge.graph)));
    notes.add("A hyperedge became a junction node with an edge for each of its ends");
  }
  const holders = new Set(document.graphs.flatMap(({ holder }) => holder ?? []));
  return { nodes, keys: uniqueKeys(nodes), edges, junctions, holders };
}

export function tooManyNodes(limits: GraphmlLimits): GraphmlError {
  return new GraphmlError(
    `This file has more than ${limits.nodes.toLocaleString("en")} nodes, which is the most a workflow can have.`,
  );
}

function createIndex(document: RawDocument, nodes: RawNode[]) {
  const byTop = new Map<number, Map<string, number>>();
  const anywhere = new Map<string, number>();
  const topOf = (graph: number) => document.graphs[graph]?.top ?? graph;
  function remember({ id, graph }: RawNode, index: number): void {
    const top = topOf(graph);
    let ids = byTop.get(top);
    if (!ids) byTop.set(top, (ids = new Map()));
    if (!ids.has(id)) ids.set(id, index);
    if (!anywhere.has(id)) anywhere.set(id, index);
  }
  for (const [index, node] of nodes.entries()) remember(node, index);
  return {
    find: (id: string, graph: number) => byTop.get(topOf(graph))?.get(id) ?? anywhere.get(id),
    add(node: RawNode, { isNamed } = { isNamed: true }): number {
      const index = nodes.push(node) - 1;
      if (isNamed) remember(node, index);
      return index;
    },
  };
}

function portsOf({ sourcePort, targetPort }: RawEdge): Pick<TopologyEdge, "sourcePort" | "targetPort"> {
  return { ...(sourcePort === undefined ? {} : { sourcePort }), ...(targetPort === undefined ? {} : { targetPort }) };
}

/** `in` ends lead to the junction, `out` ends leave it. An undirected end leads to it. */
function junctionEdges(hyperedge: RawHyperedge, junction: number, find: (id: string) => number): TopologyEdge[] {
  return hyperedge.endpoints.map(({ node, port, type }): TopologyEdge => {
    const end = find(node);
    if (type === "out")
      return { source: junction, target: end, directed: true, ...(port === undefined ? {} : { targetPort: port }) };
    return {
      source: end,
      target: junction,
      directed: type === "in",
      ...(port === undefined ? {} : { sourcePort: port }),
    };
  });
}

/** Ids are unique within one graph of the file only. */
function uniqueKeys(nodes: RawNode[]): string[] {
  const used = new Set<string>();
  return nodes.map(({ id, graph }) => {
    let key = id;
    for (let number = graph; used.has(key); number++) key = `${id}@${number}`;
    used.add(key);
    return key;
  });
}
