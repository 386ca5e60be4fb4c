import type { Lineage, LineageKind, LineageNode } from "@miranda/contract/schemas/models/lineage.ts";

/** From what was used to what came of it. */
const steps = [
  { title: "Data and packages", kinds: ["file", "result", "dataset", "packages"] },
  { title: "Code", kinds: ["node", "commit"] },
  { title: "Workflow", kinds: ["workflow"] },
  { title: "Run", kinds: ["run"] },
  { title: "Model", kinds: ["model"] },
  { title: "Used by", kinds: ["deployment"] },
] as const satisfies readonly { title: string; kinds: readonly LineageKind[] }[];

export interface Column {
  title: string;
  nodes: readonly LineageNode[];
}

/** The columns that have something in them. Kinds stay together; within a kind, lines cross as little as possible. */
export function columnsOf({ nodes, edges }: Lineage): Column[] {
  const done: Column[] = [];
  for (const { title, kinds } of steps.toReversed()) {
    const places = new Map(done[0]?.nodes.map(({ id }, at) => [id, at]));
    const own = kinds.flatMap((kind) =>
      byTarget(
        nodes.filter((node) => node.kind === kind),
        edges,
        places,
      ),
    );
    if (own.length > 0) done.unshift({ title, nodes: besideTargets(own, edges) });
  }
  return done;
}

/** Puts each node near the middle of what it leads to in the next column. */
function byTarget(nodes: LineageNode[], edges: Lineage["edges"], places: ReadonlyMap<string, number>): LineageNode[] {
  const middle = new Map(
    nodes.map(({ id }, at) => {
      const found = edges.flatMap(({ from, to }) => (from === id ? (places.get(to) ?? []) : []));
      return [id, found.length === 0 ? at : found.reduce((sum, one) => sum + one, 0) / found.length];
    }),
  );
  return nodes.toSorted((one, other) => (middle.get(one.id) ?? 0) - (middle.get(other.id) ?? 0));
}

/** What leads to something of another kind in its column, as a commit to its node, comes right after it. */
function besideTargets(nodes: readonly LineageNode[], edges: Lineage["edges"]): LineageNode[] {
  const kinds = new Map(nodes.map(({ id, kind }) => [id, kind]));
  const targetOf = ({ id, kind }: LineageNode) =>
    edges.find(({ from, to }) => from === id && kinds.has(to) && kinds.get(to) !== kind)?.to;
  const followers = new Map<string, LineageNode[]>();
  const standing = nodes.filter((node) => {
    const target = targetOf(node);
    if (target !== undefined) followers.set(target, [...(followers.get(target) ?? []), node]);
    return target === undefined;
  });
  const ordered = standing.flatMap((node) => [node, ...(followers.get(node.id) ?? [])]);
  // What leads in a circle leads to nothing that stands.
  return [...ordered, ...nodes.filter((node) => !ordered.includes(node))];
}

interface Place {
  x: number;
  y: number;
}

interface LineagePicture {
  places: ReadonlyMap<string, Place>;
  width: number;
  height: number;
  columns: readonly { title: string; x: number }[];
}

export const card = { height: 60, gap: 14, widthMin: 168, widthMax: 230, between: 44, top: 30 } as const;

/** Where each card lies in a picture of this width. Columns are centred beside the tallest. */
export function placed(columns: readonly Column[], hostWidth: number): LineagePicture & { cardWidth: number } {
  const gaps = (columns.length - 1) * card.between;
  const cardWidth = Math.min(
    card.widthMax,
    Math.max(card.widthMin, Math.floor((hostWidth - gaps) / Math.max(1, columns.length))),
  );
  const tallest = Math.max(1, ...columns.map(({ nodes }) => nodes.length));
  const height = card.top + tallest * (card.height + card.gap) - card.gap;
  const places = new Map<string, Place>();
  const heads: { title: string; x: number }[] = [];
  for (const [at, { title, nodes }] of columns.entries()) {
    const x = at * (cardWidth + card.between);
    heads.push({ title, x });
    const used = nodes.length * (card.height + card.gap) - card.gap;
    const start = card.top + (height - card.top - used) / 2;
    for (const [row, { id }] of nodes.entries()) places.set(id, { x, y: start + row * (card.height + card.gap) });
  }
  const width = columns.length * cardWidth + gaps;
  return { places, width, height, columns: heads, cardWidth };
}

/** Lines that pass columns between their ends go below the cards of those columns, each in a lane of its own. */
const lane = { first: 14, gap: 7 } as const;

interface PlacedEdge {
  from: string;
  to: string;
  path: string;
}

/** The lines between the cards, and how much room they need below them. */
export function edgesOf(
  edges: Lineage["edges"],
  { places, cardWidth, height }: { places: ReadonlyMap<string, Place>; cardWidth: number; height: number },
): { paths: PlacedEdge[]; height: number } {
  const step = cardWidth + card.between;
  let lanes = 0;
  const paths = edges.flatMap(({ from, to }): PlacedEdge[] => {
    const [start, end] = [places.get(from), places.get(to)];
    if (!start || !end) return [];
    if (end.x - start.x <= step) return [{ from, to, path: edgePath(start, end, cardWidth) }];
    const passed = [...places.values()].filter(({ x }) => x > start.x && x < end.x);
    const lowest = Math.max(...passed.map(({ y }) => y + card.height));
    const y = lowest + lane.first + lane.gap * lanes;
    lanes += 1;
    return [{ from, to, path: lanePath(start, end, cardWidth, y) }];
  });
  return { paths, height: lanes === 0 ? height : height + lane.first + lane.gap * lanes };
}

/** Between columns from side to side, within a column along its left edge. */
export function edgePath(from: Place, to: Place, cardWidth: number): string {
  const [startY, endY] = [from.y + card.height / 2, to.y + card.height / 2];
  if (from.x === to.x) {
    const out = from.x - Math.min(card.between * 0.9, card.between / 3 + Math.abs(endY - startY) / 16);
    return `M${from.x} ${startY}C${out} ${startY} ${out} ${endY} ${to.x} ${endY}`;
  }
  const [start, end] = [from.x + cardWidth, to.x];
  const bend = Math.max(20, (end - start) / 2);
  return `M${start} ${startY}C${start + bend} ${startY} ${end - bend} ${endY} ${end} ${endY}`;
}

function lanePath(from: Place, to: Place, cardWidth: number, y: number): string {
  const [startY, endY] = [from.y + card.height / 2, to.y + card.height / 2];
  const [start, end, turn] = [from.x + cardWidth, to.x, card.between / 2];
  return (
    `M${start} ${startY}C${start + turn} ${startY} ${start + turn} ${y} ${start + 2 * turn} ${y}` +
    `H${end - 2 * turn}C${end - turn} ${y} ${end - turn} ${endY} ${end} ${endY}`
  );
}

/** A node with everything it came from and everything that came of it. */
export function relatedTo(id: string, edges: Lineage["edges"]): Set<string> {
  const found = new Set([id]);
  const follow = (start: string, next: (from: string) => string[]) => {
    const open = [start];
    const seen = new Set<string>();
    for (let at = open.pop(); at !== undefined; at = open.pop())
      for (const one of next(at)) {
        if (seen.has(one)) continue;
        seen.add(one);
        found.add(one);
        open.push(one);
      }
  };
  follow(id, (at) => edges.filter(({ to }) => to === at).map(({ from }) => from));
  follow(id, (at) => edges.filter(({ from }) => from === at).map(({ to }) => to));
  return found;
}

/** Of many nodes of a kind only some are shown at first. */
export function shortened(lineage: Lineage, most: number): { lineage: Lineage; hidden: number } {
  const counts = new Map<LineageKind, number>();
  const nodes = lineage.nodes.filter(({ kind }) => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return count <= most;
  });
  return { lineage: { ...lineage, nodes }, hidden: lineage.nodes.length - nodes.length };
}
