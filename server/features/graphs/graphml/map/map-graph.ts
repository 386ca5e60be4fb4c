import { GraphmlError } from "../parse/graphml-error.ts";
import { readGroups } from "./groups.ts";
import type { Keys, Value } from "../parse/keys.ts";
import { createKeys, typedValue } from "../parse/keys.ts";
import * as labels from "./labels.ts";
import type { Spot } from "../place/place-nodes.ts";
import { placeNodes } from "../place/place-nodes.ts";
import { mapEdges } from "./map-edges.ts";
import type { Notes } from "../notes.ts";
import { isOwnNode, own, ownText, readOwnNode, shared } from "./own-format.ts";
import type { RawDocument, RawNode } from "../parse/raw-graph.ts";
import type { Topology } from "../parse/topology.ts";
import { readTopology } from "../parse/topology.ts";
import type { GraphmlLimits, ImportedAttribute, ImportedGraph, ImportedNode } from "../types.ts";

interface Context {
  document: RawDocument;
  keys: Keys;
  notes: Notes;
  limits: GraphmlLimits;
  isOwn: boolean;
  spend(length: number): void;
}

/** Turns a parsed document into named, placed nodes and edges between their ports. */
export function mapDocument(document: RawDocument, notes: Notes, limits: GraphmlLimits): ImportedGraph {
  const keys = createKeys(document.keys, notes, limits.attributesPerNode);
  const context: Context = { document, keys, notes, limits, isOwn: false, spend: createBudget(limits) };
  const graphs = mapGraphs(context);
  context.isOwn = graphs.isOwn;
  const topology = readTopology(document, notes, limits);
  const spots: Spot[] = [];
  const nodes = topology.nodes.map((node, index) => mapNode(context, topology, node, index, spots));
  const groups = mapGroups(context, topology, nodes, graphs.names);
  const edges = mapEdges({ topology, keys, notes, limits, nodes, isOwn: graphs.isOwn });
  const positions = placeNodes(
    spots,
    topology.edges.map(({ source, target }) => [source, target] as const),
  );
  for (const [index, position] of positions.entries()) nodes[index]!.position = position;
  if (document.graphs.length === 0) notes.add("The file holds no graph");
  for (const { name, text } of keys.valuesOf("graphml", document)) {
    if (text.trim() !== "") notes.add("Data of the file itself is not kept", { example: name });
  }
  return { ...graphs.about, nodes, edges, groups, notes: notes.list() };
}

function createBudget(limits: GraphmlLimits): (length: number) => void {
  let left = limits.unfoldedLength;
  return (length) => {
    left -= length;
    if (left < 0)
      throw new GraphmlError("The default values and groups of this file unfold to more data than can be imported.");
  };
}

function mapGraphs({ document, keys, notes }: Context) {
  const names: (string | undefined)[] = [];
  const about: { name?: string; description?: string } = {};
  let isOwn = false;
  for (const [index, graph] of document.graphs.entries()) {
    const values = keys.valuesOf("graph", graph);
    const name = labels.takeGraphName(values) ?? (isGenericId(graph.id) ? undefined : graph.id);
    const description = labels.takeDescription(values, graph);
    if (index === 0 && values.some((value) => value.name === own.format)) {
      isOwn = true;
      return { isOwn, names: [], about: readOwnAbout(keys.valuesOf("graph", graph)) };
    }
    names.push(name === undefined ? undefined : labels.oneLine(name));
    if (index === 0 && name !== undefined) about.name = labels.cut(labels.oneLine(name), 200);
    if (index === 0 && description !== undefined) about.description = labels.cut(description, 10_000);
    for (const value of values)
      if (value.text.trim() !== "") notes.add("Data of the graph itself is not kept", { example: value.name });
  }
  const tops = document.graphs.filter(({ parent }) => parent === undefined).length;
  if (tops > 1)
    notes.add("The file holds several graphs; they are side by side in one workflow, each as a group", { count: tops });
  return { isOwn, names, about };
}

function readOwnAbout(values: Value[]): { name?: string; description?: string } {
  const name = ownText(values, own.name, "name");
  const description = ownText(values, own.description, shared.description);
  return { ...(name === undefined ? {} : { name }), ...(description === undefined ? {} : { description }) };
}

function isGenericId(id: string): boolean {
  return /^(?:g|graph|g?\d+)?$/i.test(id.trim());
}

function mapGroups(context: Context, topology: Topology, nodes: ImportedNode[], graphNames: (string | undefined)[]) {
  const groups = readGroups(
    context.document,
    (index) => nodes[index]!.name,
    (index) => graphNames[index],
    (index) => nodes[index]!.key,
  );
  for (const [index, { graph }] of topology.nodes.entries()) {
    const path = groups.paths[graph] ?? [];
    context.spend(path.reduce((sum, name) => sum + name.length + 1, 0));
    nodes[index]!.groupPath = path;
  }
  return groups.list;
}

function mapNode(context: Context, topology: Topology, node: RawNode, index: number, spots: Spot[]): ImportedNode {
  const values = context.keys.valuesOf(topology.junctions.has(index) ? "hyperedge" : "node", node);
  const key = topology.keys[index]!;
  const base = {
    key,
    attributes: [],
    ports: node.ports,
    receivers: [],
    transmitters: [],
    groupPath: [],
    position: { x: 0, y: 0 },
  };
  if (context.isOwn && isOwnNode(values)) {
    const { fields, position } = readOwnNode(values, node.id, context.notes);
    const colour = labels.takeColour(values, undefined, new Map());
    spots.push(position ? { exact: position } : {});
    return { ...base, ...fields, ...(colour === undefined ? {} : { colour }) };
  }
  return { ...base, ...mapForeignNode(context, topology, node, index, values, spots) };
}

function mapForeignNode(
  context: Context,
  topology: Topology,
  node: RawNode,
  index: number,
  values: Value[],
  spots: Spot[],
): Pick<ImportedNode, "name" | "description" | "class" | "attributes" | "colour" | "junction"> {
  const { notes, limits } = context;
  const { graphics } = node;
  const isJunction = topology.junctions.has(index);
  const label = labels.takeLabel(values, graphics);
  const name = labels.oneLine(label ?? "") || labels.oneLine(node.id) || (isJunction ? "Junction" : "Node");
  const description = labels.takeDescription(values, node) ?? "";
  const centre = labels.takeCentre(values, graphics);
  const colour = labels.takeColour(values, graphics, context.document.resources);
  spots.push(spotOf(node, centre, topology.holders.has(index)));
  const attributes = readAttributes(context, node, values);
  if (name.length > limits.nameLength) {
    notes.add(`A name longer than ${limits.nameLength} characters was cut`, { example: name });
    attributes.unshift({ name: "label", kind: "string", value: clip(context, label ?? name, "label") });
  }
  noteDrawing(notes, node);
  return {
    name: labels.cut(name, limits.nameLength),
    description: clip(context, description, "description"),
    class: "Code_block",
    attributes: uniqueNames(attributes.slice(0, limits.attributesPerNode)),
    ...(colour === undefined ? {} : { colour }),
    ...(isJunction ? { junction: true } : {}),
  };
}

function spotOf(node: RawNode, centre: Spot["centre"], isHolder: boolean): Spot {
  if (!centre) return {};
  const box = node.graphics?.geometry;
  return isHolder && box ? { centre, frame: { x: box.x, y: box.y } } : { centre };
}

function readAttributes(context: Context, node: RawNode, values: Value[]): ImportedAttribute[] {
  const extraLabels = (node.graphics?.labels ?? []).slice(1).map((text, at) => ({ name: `label ${at + 2}`, text }));
  const texts = [...extraLabels, ...(node.graphics?.texts ?? [])].map(({ name, text }): ImportedAttribute => {
    return { name, kind: "string", value: clip(context, labels.plainText(text).trim(), name) };
  });
  const written = labels.dropEmpty(values).map((value): ImportedAttribute => {
    const typed = typedValue(value, context.notes);
    const name = labels.cut(labels.oneLine(value.name) || "field", context.limits.nameLength);
    return {
      name,
      kind: typed.kind,
      value: typeof typed.value === "string" ? clip(context, typed.value, name) : typed.value,
    };
  });
  const all = [...texts, ...written];
  if (all.length > context.limits.attributesPerNode)
    context.notes.add(`A node has more than ${context.limits.attributesPerNode} values; the others are not kept`, {
      example: node.id,
    });
  context.spend(all.reduce((sum, { name, value }) => sum + name.length + String(value).length, 0));
  return all;
}

function uniqueNames(attributes: ImportedAttribute[]): ImportedAttribute[] {
  const used = new Set<string>();
  return attributes.map((attribute) => {
    let { name } = attribute;
    for (let number = 2; used.has(name); number++) name = `${attribute.name} ${number}`;
    used.add(name);
    return { ...attribute, name };
  });
}

function clip({ notes, limits }: Context, text: string, what: string): string {
  if (text.length <= limits.textLength) return text;
  notes.add(`Text longer than ${limits.textLength.toLocaleString("en")} characters was cut`, { example: what });
  return labels.cut(text, limits.textLength);
}

function noteDrawing(notes: Notes, { graphics }: RawNode): void {
  if (!graphics) return;
  notes.add("Shapes, borders and fonts of nodes are not kept");
  if (graphics.pictures > 0) notes.add("Pictures of nodes are not kept");
}
