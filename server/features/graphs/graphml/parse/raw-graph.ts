/** A GraphML document as its elements, before they are mapped to Miranda. */

export interface RawElement {
  /** Without its prefix: real files use undeclared prefixes. */
  name: string;
  attributes: Record<string, string>;
  text: string;
  children: RawElement[];
}

/** What the yWorks programs keep inside `data`. */
export interface RawGraphics {
  labels: string[];
  /** Further texts by name, such as the methods of a UML class. */
  texts: { name: string; text: string }[];
  geometry?: { x: number; y: number; width: number; height: number };
  fill?: string;
  /** The fill is written once in the file's shared resources, under this key. */
  fillReference?: string;
  bends: number;
  pictures: number;
}

export interface RawDatum {
  key: string;
  text: string;
  /** An XML attribute of the element itself, which needs no declaration. */
  isXmlAttribute?: true;
}

export interface RawOwner {
  data: RawDatum[];
  description: string;
  graphics?: RawGraphics;
}

export type KeyDomain = "graphml" | "graph" | "node" | "edge" | "hyperedge" | "port" | "endpoint" | "all";

export interface RawKey {
  id: string;
  /** What it is for: a KeyDomain, or whatever else the file says. */
  domain: string;
  name: string;
  type: string;
  default?: string;
}

export interface RawGraph extends RawOwner {
  id: string;
  directed: boolean;
  /** Index of the outermost graph around this one: node ids are unique within it. */
  top: number;
  parent?: number;
  /** Index of the node that this graph is nested in. */
  holder?: number;
}

export interface RawNode extends RawOwner {
  id: string;
  graph: number;
  ports: string[];
}

export interface RawEdge extends RawOwner {
  source: string;
  target: string;
  sourcePort?: string;
  targetPort?: string;
  directed: boolean;
  graph: number;
}

export type EndpointType = "in" | "out" | "undir";

export interface RawHyperedge extends RawOwner {
  id: string;
  graph: number;
  endpoints: { node: string; port?: string; type: EndpointType }[];
}

export interface RawDocument extends RawOwner {
  keys: RawKey[];
  graphs: RawGraph[];
  nodes: RawNode[];
  edges: RawEdge[];
  hyperedges: RawHyperedge[];
  /** Colours of the file's shared resources by their key. */
  resources: Map<string, string>;
}
