import { assertNever } from "@miranda/contract/assert-never.ts";
import { GraphmlError } from "./graphml-error.ts";
import type { Notes } from "../notes.ts";
import type {
  EndpointType,
  RawDocument,
  RawElement,
  RawGraphics,
  RawHyperedge,
  RawKey,
  RawOwner,
} from "./raw-graph.ts";
import { tooManyNodes } from "./topology.ts";
import type { GraphmlLimits } from "../types.ts";
import { readGraphics, readSharedColours } from "./yfiles.ts";

export interface DocumentBuilder {
  open(name: string, attributes: Record<string, string>): void;
  text(text: string): void;
  close(): void;
  document: RawDocument;
}

type ChildKind = "key" | "default" | "graph" | "node" | "edge" | "hyperedge" | "endpoint" | "port" | "data" | "desc";
type Kind = ChildKind | "graphml" | "element" | "skip";

interface Frame {
  kind: Kind;
  /** The element that `data` and `desc` inside belong to. */
  owner?: RawOwner;
  graph?: number;
  node?: number;
  hyperedge?: RawHyperedge;
  key?: RawKey;
  dataKey?: string;
  /** Collects the text, and the elements inside `data`. */
  element?: RawElement;
}

const inside: Partial<Record<Kind, readonly ChildKind[]>> = {
  graphml: ["key", "graph", "data", "desc"],
  key: ["default", "desc"],
  graph: ["node", "edge", "hyperedge", "graph", "data", "desc", "key"],
  node: ["data", "graph", "port", "desc"],
  edge: ["data", "graph", "desc"],
  hyperedge: ["endpoint", "data", "graph", "desc"],
  endpoint: ["desc"],
  port: ["port", "data", "desc"],
};
const mostKeys = 10_000;
const capturing = new Set<Kind>(["data", "default", "element"]);
const skip: Frame = { kind: "skip" };

/** Builds the raw document from the events of an XML parser. Throws when a limit is exceeded. */
export function createDocumentBuilder(notes: Notes, limits: GraphmlLimits): DocumentBuilder {
  const document: RawDocument = {
    ...emptyOwner(),
    keys: [],
    graphs: [],
    nodes: [],
    edges: [],
    hyperedges: [],
    resources: new Map(),
  };
  const ids = new Map<number, Map<string, number>>();
  const stack: Frame[] = [];
  let ends = 0;

  function countEnd(): void {
    if (++ends > limits.edges)
      throw new GraphmlError(
        `This file has more than ${limits.edges.toLocaleString("en")} edges, which is the most a workflow can have.`,
      );
  }

  function openGraph(parent: Frame, attributes: Record<string, string>): Frame {
    if (document.graphs.length >= limits.nodes) throw new GraphmlError("This file holds too many graphs.");
    const index = document.graphs.length;
    const around = parent.graph === undefined ? undefined : document.graphs[parent.graph];
    const edgeDefault = attributes["edgedefault"];
    const graph = {
      ...emptyOwner(),
      id: attributes["id"] ?? "",
      directed: edgeDefault === undefined ? (around?.directed ?? false) : edgeDefault.trim() === "directed",
      top: around?.top ?? index,
      ...(parent.graph === undefined ? {} : { parent: parent.graph }),
      ...(parent.node === undefined ? {} : { holder: parent.node }),
    };
    document.graphs.push(graph);
    return { kind: "graph", owner: graph, graph: index };
  }

  /** The attributes of an element that GraphML does not know. Some programs write values there. */
  function keepXmlAttributes(owner: RawOwner, attributes: Record<string, string>, known: Set<string>): void {
    for (const [name, text] of Object.entries(attributes)) {
      if (known.has(name) || /^(?:xmlns|xsi:|xml:|parse\.)/.test(name)) continue;
      if (owner.data.length < limits.attributesPerNode)
        owner.data.push({ key: name.slice(name.indexOf(":") + 1), text, isXmlAttribute: true });
      else
        notes.add(`An element has more than ${limits.attributesPerNode} attributes; the others are not kept`, {
          example: name,
        });
    }
  }

  function openNode(parent: Frame, attributes: Record<string, string>): Frame {
    const graph = parent.graph ?? 0;
    const top = document.graphs[graph]?.top ?? 0;
    const id = attributes["id"];
    if (id === undefined) notes.add("A node without an id got a new one");
    const name = id ?? `unnamed ${document.nodes.length + 1}`;
    let known = ids.get(top);
    if (!known) ids.set(top, (known = new Map()));
    let index = known.get(name);
    if (index === undefined) {
      if (document.nodes.length >= limits.nodes) throw tooManyNodes(limits);
      index = document.nodes.push({ ...emptyOwner(), id: name, graph, ports: [] }) - 1;
      known.set(name, index);
    } else {
      notes.add("Several nodes share an id and became one node", { example: name });
    }
    const node = document.nodes[index]!;
    keepXmlAttributes(node, attributes, nodeAttributes);
    return { kind: "node", owner: node, graph, node: index };
  }

  function openEdge(parent: Frame, attributes: Record<string, string>): Frame {
    const { source, target, sourceport, targetport, directed } = attributes;
    if (source === undefined || target === undefined) {
      notes.add("An edge without a source or a target was left out");
      return skip;
    }
    countEnd();
    const graph = parent.graph ?? 0;
    const edge = {
      ...emptyOwner(),
      source,
      target,
      graph,
      directed:
        directed === undefined ? (document.graphs[graph]?.directed ?? false) : /^\s*(?:true|1)\s*$/i.test(directed),
      ...(sourceport === undefined ? {} : { sourcePort: sourceport }),
      ...(targetport === undefined ? {} : { targetPort: targetport }),
    };
    document.edges.push(edge);
    keepXmlAttributes(edge, attributes, edgeAttributes);
    return { kind: "edge", owner: edge, graph };
  }

  function openHyperedge(parent: Frame, attributes: Record<string, string>): Frame {
    if (document.nodes.length + document.hyperedges.length >= limits.nodes) throw tooManyNodes(limits);
    const graph = parent.graph ?? 0;
    const hyperedge: RawHyperedge = { ...emptyOwner(), id: attributes["id"] ?? "", graph, endpoints: [] };
    document.hyperedges.push(hyperedge);
    return { kind: "hyperedge", owner: hyperedge, graph, hyperedge };
  }

  function openEndpoint(parent: Frame, attributes: Record<string, string>): Frame {
    const { node, port, type } = attributes;
    if (node === undefined) {
      notes.add("An end of a hyperedge without a node was left out");
      return skip;
    }
    countEnd();
    const direction: EndpointType = type === "in" || type === "out" ? type : "undir";
    parent.hyperedge?.endpoints.push({ node, type: direction, ...(port === undefined ? {} : { port }) });
    return { kind: "endpoint" };
  }

  function openPort(parent: Frame, attributes: Record<string, string>): Frame {
    const ports = document.nodes[parent.node ?? -1]?.ports ?? [];
    const name = attributes["name"] ?? `port ${ports.length + 1}`;
    if (ports.length >= limits.attributesPerNode)
      notes.add(`A node has more than ${limits.attributesPerNode} ports; the others are not kept`);
    else if (!ports.includes(name)) ports.push(name);
    return { kind: "port", owner: emptyOwner(), ...(parent.node === undefined ? {} : { node: parent.node }) };
  }

  function openKey(attributes: Record<string, string>): Frame {
    if (document.keys.length >= mostKeys)
      throw new GraphmlError(`This file declares more than ${mostKeys.toLocaleString("en")} keys.`);
    const id = attributes["id"] ?? "";
    const key: RawKey = {
      id,
      domain: attributes["for"] ?? "all",
      name: attributes["attr.name"] || attributes["yfiles.type"] || id,
      type: attributes["attr.type"] ?? "string",
    };
    document.keys.push(key);
    return { kind: "key", key, element: newElement("key", {}) };
  }

  function openChild(parent: Frame, kind: ChildKind, attributes: Record<string, string>): Frame {
    const owner = parent.owner;
    switch (kind) {
      case "graph":
        return openGraph(parent, attributes);
      case "node":
        return openNode(parent, attributes);
      case "edge":
        return openEdge(parent, attributes);
      case "hyperedge":
        return openHyperedge(parent, attributes);
      case "endpoint":
        return openEndpoint(parent, attributes);
      case "port":
        return openPort(parent, attributes);
      case "key":
        return openKey(attributes);
      case "default":
        return { kind, element: newElement(kind, {}), ...(parent.key ? { key: parent.key } : {}) };
      case "data":
        return { kind, element: newElement(kind, {}), dataKey: attributes["key"] ?? "", ...(owner ? { owner } : {}) };
      case "desc":
        return { kind, element: newElement(kind, {}), ...(owner ? { owner } : {}) };
      default:
        return assertNever(kind);
    }
  }

  function closeData(frame: Frame): void {
    const { owner, element } = frame;
    if (!owner || !element) return;
    const parent = stack.at(-1)?.kind;
    if (parent === "graphml") readSharedColours(element.children, document.resources);
    if (parent === "port") {
      notes.add("Data of ports is not kept");
      return;
    }
    const graphics = element.children.length > 0 ? readGraphics(element.children) : undefined;
    if (graphics) owner.graphics = mergeGraphics(owner.graphics, graphics, limits.attributesPerNode);
    else addDatum(owner, frame.dataKey ?? "", element);
  }

  function addDatum(owner: RawOwner, key: string, element: RawElement): void {
    const isStructured = element.children.length > 0;
    const text = isStructured ? allText(element).trim() : element.text;
    if (isStructured && owner !== document)
      notes.add(text === "" ? "Structured data is not kept" : "Of structured data only its text is kept", {
        example: key,
      });
    if (isStructured && text === "") return;
    // Twice the limit of a node, so that no single element fills the memory before the mapping cuts it.
    if (owner.data.length < 2 * limits.attributesPerNode) owner.data.push({ key, text });
    else notes.add("An element has too much data; the rest is not kept", { example: key });
  }

  return {
    document,
    open(name, attributes) {
      if (stack.length >= limits.depth)
        throw new GraphmlError(`This file has more than ${limits.depth} elements inside each other.`);
      const parent = stack.at(-1);
      if (!parent) {
        if (name !== "graphml")
          throw new GraphmlError(`This is XML, but not GraphML: its first element is <${name.slice(0, 60)}>.`);
        stack.push({ kind: "graphml", owner: document });
      } else if (parent.kind === "skip") {
        stack.push(skip);
      } else if (capturing.has(parent.kind)) {
        const element = newElement(name, attributes);
        parent.element?.children.push(element);
        stack.push({ kind: "element", element });
      } else {
        const kind = inside[parent.kind]?.find((allowed) => allowed === name);
        if (!kind) noteUnknown(notes, name);
        stack.push(kind ? openChild(parent, kind, attributes) : skip);
      }
    },
    text(text) {
      const element = stack.at(-1)?.element;
      if (element) element.text += text;
    },
    close() {
      const frame = stack.pop();
      if (!frame?.element) return;
      if (frame.kind === "data") closeData(frame);
      else if (frame.kind === "desc" && frame.owner) frame.owner.description = frame.element.text;
      else if (frame.kind === "default" && frame.key) frame.key.default = frame.element.text;
      // Prefuse writes the default value without an element of its own.
      else if (frame.kind === "key" && frame.key && frame.element.text.trim() !== "")
        frame.key.default ??= frame.element.text.trim();
    },
  };
}

function noteUnknown(notes: Notes, name: string): void {
  if (name === "locator") notes.add("Content that the file only links to is never fetched");
  else notes.add("Elements that GraphML does not know were left out", { example: `<${name}>` });
}

function emptyOwner(): RawOwner {
  return { data: [], description: "" };
}

function newElement(name: string, attributes: Record<string, string>): RawElement {
  return { name, attributes, text: "", children: [] };
}

function allText(element: RawElement): string {
  return [element.text, ...element.children.map(allText)].join(" ").replaceAll(/\s+/g, " ");
}

function mergeGraphics(known: RawGraphics | undefined, more: RawGraphics, most: number): RawGraphics {
  if (!known) return more;
  // Appended in place: a hostile node has a hundred thousand labels, and copying them each time takes minutes.
  known.labels.push(...more.labels.slice(0, Math.max(0, most - known.labels.length)));
  known.texts.push(...more.texts.slice(0, Math.max(0, most - known.texts.length)));
  known.bends += more.bends;
  known.pictures += more.pictures;
  return Object.assign(known, { ...more, ...known });
}

const nodeAttributes = new Set(["id", "yfiles.foldertype"]);
const edgeAttributes = new Set(["id", "source", "target", "sourceport", "targetport", "directed"]);
