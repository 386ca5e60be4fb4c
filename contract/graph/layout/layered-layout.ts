import { spread } from "./spread.ts";
import type { Position } from "../../schemas/nodes.ts";

/** The size of a node on the canvas and the free space around it. */
export const nodeBox = { width: 240, height: 120, gap: 40 } as const;
export const columnStep = nodeBox.width + 2 * nodeBox.gap;
export const rowStep = nodeBox.height + nodeBox.gap;

const orderingSweeps = 4;
const alignmentPasses = 3;
const shelfAspect = 1.6;

/** Left to right: sources first. Every edge points forward, except those that close a cycle. */
export function layeredLayout(count: number, edges: readonly (readonly [number, number])[]): Position[] {
  const forward = withoutLoops(edges);
  const positions: Position[] = Array.from({ length: count }, () => ({ x: 0, y: 0 }));
  const boxes = components(count, forward).map((members) => layoutComponent(members, forward, positions));
  packOnShelves(boxes, positions);
  return positions;
}

interface Links {
  next: number[][];
  previous: number[][];
}

interface Box {
  members: number[];
  width: number;
  height: number;
}

function withoutLoops(edges: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  return edges.filter(([from, to]) => from !== to);
}

/** The parts that no edge connects: their nodes, and the places of their edges in the list. */
export function components(
  count: number,
  edges: readonly (readonly [number, number])[],
): { nodes: number[]; edges: number[] }[] {
  const parent = Int32Array.from({ length: count }, (_, index) => index);
  const root = (start: number): number => {
    let node = start;
    while (parent[node] !== node) {
      parent[node] = parent[parent[node]!]!;
      node = parent[node]!;
    }
    return node;
  };
  for (const [from, to] of edges) parent[root(from)] = root(to);
  const found = new Map<number, { nodes: number[]; edges: number[] }>();
  for (let node = 0; node < count; node++) {
    const top = root(node);
    const component = found.get(top);
    if (component) component.nodes.push(node);
    else found.set(top, { nodes: [node], edges: [] });
  }
  for (const [index, [from]] of edges.entries()) found.get(root(from))?.edges.push(index);
  return [...found.values()];
}

function layoutComponent(
  component: { nodes: number[]; edges: number[] },
  edges: readonly (readonly [number, number])[],
  positions: Position[],
): Box {
  const { nodes } = component;
  if (nodes.length === 1) return { members: nodes, width: columnStep, height: rowStep };
  const local = new Map(nodes.map((node, index) => [node, index]));
  const links = acyclicLinks(
    nodes.length,
    component.edges.map((index) => {
      const [from, to] = edges[index]!;
      return [local.get(from)!, local.get(to)!] as const;
    }),
  );
  const layers = orderLayers(assignLayers(links), links);
  const placed = coordinates(layers, links, nodes.length);
  let [width, height] = [0, 0];
  for (const [index, node] of nodes.entries()) {
    const position = placed[index]!;
    positions[node] = position;
    width = Math.max(width, position.x + columnStep);
    height = Math.max(height, position.y + rowStep);
  }
  return { members: nodes, width, height };
}

/**
 * Reverses each edge that leads back to a node still being visited. Not recursive: a chain may be longer than the
 * stack.
 */
function acyclicLinks(count: number, edges: (readonly [number, number])[]): Links {
  const outgoing: number[][] = Array.from({ length: count }, () => []);
  const hasIncoming = new Uint8Array(count);
  for (const [from, to] of edges) {
    outgoing[from]!.push(to);
    hasIncoming[to] = 1;
  }
  const next: number[][] = Array.from({ length: count }, () => []);
  const previous: number[][] = Array.from({ length: count }, () => []);
  const state = new Uint8Array(count); // 1: being visited, 2: done
  const cursor = new Int32Array(count);
  const sourcesFirst = Array.from({ length: count }, (_, node) => node).sort(
    (a, b) => hasIncoming[a]! - hasIncoming[b]!,
  );
  for (const start of sourcesFirst) {
    if (state[start]) continue;
    const walk = [start];
    state[start] = 1;
    while (walk.length > 0) {
      const node = walk.at(-1)!;
      const target = outgoing[node]![cursor[node]!++];
      if (target === undefined) {
        state[node] = 2;
        walk.pop();
        continue;
      }
      const isBack = state[target] === 1;
      next[isBack ? target : node]!.push(isBack ? node : target);
      previous[isBack ? node : target]!.push(isBack ? target : node);
      if (!state[target]) {
        state[target] = 1;
        walk.push(target);
      }
    }
  }
  return { next, previous };
}

function assignLayers({ next, previous }: Links): number[] {
  const layer = Array.from(next, () => 0);
  const waiting = previous.map((sources) => sources.length);
  const ready = waiting.flatMap((left, node) => (left === 0 ? [node] : []));
  for (let at = 0; at < ready.length; at++) {
    const node = ready[at]!;
    for (const target of next[node]!) {
      layer[target] = Math.max(layer[target]!, layer[node]! + 1);
      waiting[target]! -= 1;
      if (waiting[target] === 0) ready.push(target);
    }
  }
  // Place a source beside what it feeds, not in the first column.
  for (const [node, sources] of previous.entries()) {
    if (sources.length > 0 || next[node]!.length === 0) continue;
    layer[node] = next[node]!.reduce((least, target) => Math.min(least, layer[target]!), Number.POSITIVE_INFINITY) - 1;
  }
  return layer;
}

/** Sorts each layer by the positions of its neighbours in the other layers, back and forth. */
function orderLayers(layerOf: number[], { next, previous }: Links): number[][] {
  const layers: number[][] = [];
  for (const [node, layer] of layerOf.entries()) (layers[layer] ??= []).push(node);
  const filled = layers.filter((layer) => layer !== undefined);
  const rank = new Float64Array(layerOf.length);
  const renumber = (layer: number[]) => {
    for (const [index, node] of layer.entries()) rank[node] = (index + 0.5) / layer.length;
  };
  for (const layer of filled) renumber(layer);
  const centre = new Float64Array(layerOf.length);
  for (let sweep = 0; sweep < orderingSweeps; sweep++) {
    const down = sweep % 2 === 0;
    for (const layer of down ? filled : filled.toReversed()) {
      for (const node of layer) centre[node] = average((down ? previous : next)[node]!, rank) ?? rank[node]!;
      layer.sort((a, b) => centre[a]! - centre[b]!);
      renumber(layer);
    }
  }
  return filled;
}

function coordinates(layers: number[][], { next, previous }: Links, count: number): Position[] {
  const placed: Position[] = Array.from({ length: count }, () => ({ x: 0, y: 0 }));
  const y = new Float64Array(count);
  // Nobody can read a column of ten thousand nodes: fold wide layers into several columns.
  const most = Math.max(24, Math.ceil(Math.sqrt((count * columnStep) / rowStep)));
  let column = 0;
  for (const layer of layers) {
    for (const [index, node] of layer.entries()) {
      placed[node]!.x = (column + Math.floor(index / most)) * columnStep;
      y[node] = (index % most) * rowStep;
    }
    column += Math.ceil(layer.length / most);
  }
  const straight = layers.filter((layer) => layer.length <= most);
  for (let pass = 0; pass < alignmentPasses; pass++) {
    const down = pass % 2 === 0;
    for (const layer of down ? straight : straight.toReversed()) {
      const wanted = layer.map((node) => average((down ? previous : next)[node]!, y) ?? y[node]!);
      for (const [index, value] of spread(wanted, rowStep).entries()) y[layer[index]!] = value;
    }
  }
  const top = y.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  for (const [node, position] of placed.entries()) position.y = y[node]! - top;
  return placed;
}

function average(nodes: number[], values: Float64Array): number | undefined {
  if (nodes.length === 0) return undefined;
  let sum = 0;
  for (const node of nodes) sum += values[node]!;
  return sum / nodes.length;
}

function packOnShelves(boxes: Box[], positions: Position[]): void {
  const area = boxes.reduce((sum, box) => sum + box.width * box.height, 0);
  const widest = boxes.reduce((most, box) => Math.max(most, box.width), 0);
  const shelfWidth = Math.max(widest, Math.sqrt(area * shelfAspect));
  let [x, y, shelfHeight] = [0, 0, 0];
  for (const box of boxes.sort((a, b) => b.height - a.height || b.width - a.width)) {
    if (x > 0 && x + box.width > shelfWidth) {
      y += shelfHeight + (shelfHeight > rowStep ? rowStep : 0);
      [x, shelfHeight] = [0, 0];
    }
    for (const node of box.members) {
      const position = positions[node]!;
      position.x += x;
      position.y += y;
    }
    x += box.width;
    shelfHeight = Math.max(shelfHeight, box.height);
  }
}
