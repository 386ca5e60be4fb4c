import type { VersionEdge, VersionGroup, VersionNode } from "@miranda/contract/schemas/versions.ts";

import { type VersionContent, versionEdgeKey } from "../../features/versions/version-content.ts";
import { lineageOf, sampleEdge, sampleGroup, sampleNode } from "./version-samples.ts";

/** Random numbers that a seed repeats. */
export function createRandom(seed: number) {
  let state = seed;
  /** From 0 up to, not including, 1 (mulberry32). */
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  const below = (count: number): number => Math.floor(next() * count);
  const oneOf = <Item>(items: readonly Item[]): Item | undefined => items[below(items.length)];
  return { below, oneOf };
}

export type Random = ReturnType<typeof createRandom>;

/** A content that can be edited in place. */
export interface Draft extends VersionContent {
  readonly nodes: Map<string, VersionNode>;
  readonly edges: Map<string, VersionEdge>;
  readonly groups: Map<string, VersionGroup>;
}

export function draftOf({ nodes, edges, groups }: VersionContent): Draft {
  return { nodes: new Map(nodes), edges: new Map(edges), groups: new Map(groups) };
}

/** Every text that an edit writes is new, so that a test can find it again. */
export interface Author {
  name: string;
  written: number;
}

export function randomContent(random: Random): Draft {
  const draft = draftOf({ nodes: new Map(), edges: new Map(), groups: new Map() });
  const count = 3 + random.below(6);
  for (let number = 1; number <= count; number++) {
    const isPolicy = random.below(5) === 0;
    const code = Array.from({ length: 4 + random.below(9) }, (_, line) => randomLine(random, `base-${number}-${line}`));
    const node = sampleNode(number, {
      source_code: isPolicy ? "" : code.join(""),
      values: { epochs: random.below(9), rate: "0.1" },
      tags: ["a", "b"].slice(random.below(3)),
      ...(isPolicy && { class: "compute_policy" as const, body: { cpu: 1, ram_gb: 2 } }),
    });
    draft.nodes.set(node.lineage, node);
  }
  for (let edge = random.below(2 * count); edge > 0; edge--) addEdge(draft, random);
  for (let group = random.below(3); group > 0; group--) {
    const members = [1 + random.below(count), 1 + random.below(count)];
    const made = sampleGroup(900 + group, [...new Set(members)]);
    draft.groups.set(made.lineage, made);
  }
  return draft;
}

/** Some lines are equal, as in real code. */
function randomLine(random: Random, text: string): string {
  return random.below(6) === 0 ? "    pass\n" : `${text}\n`;
}

type Edit = (draft: Draft, random: Random, author: Author) => void;

export function randomEdits(draft: Draft, random: Random, author: Author, count: number): void {
  for (let edit = 0; edit < count; edit++) random.oneOf(edits)?.(draft, random, author);
}

const words = (author: Author): string => `${author.name}-${++author.written}`;

function changeNode(draft: Draft, random: Random, change: (node: VersionNode) => Partial<VersionNode>): void {
  const node = random.oneOf([...draft.nodes.values()]);
  if (node) draft.nodes.set(node.lineage, { ...node, ...change(node) });
}

function changeGroup(draft: Draft, random: Random, change: (group: VersionGroup) => Partial<VersionGroup>): void {
  const group = random.oneOf([...draft.groups.values()]);
  if (group) draft.groups.set(group.lineage, { ...group, ...change(group) });
}

function addEdge(draft: Draft, random: Random, label = ""): void {
  const ends = [...draft.nodes.values()];
  const [source, target] = [random.oneOf(ends), random.oneOf(ends)];
  if (!source || !target) return;
  const edge = { ...sampleEdge(0, 0, { label }), source: source.lineage, target: target.lineage };
  draft.edges.set(versionEdgeKey(edge), edge);
}

const edits: readonly Edit[] = [
  (draft, _random, author) => {
    const number = (author.name === "theirs" ? 10_000 : 20_000) + ++author.written;
    draft.nodes.set(lineageOf(number), sampleNode(number));
  },
  (draft, random) => {
    const gone = random.oneOf([...draft.nodes.keys()]);
    if (gone === undefined) return;
    draft.nodes.delete(gone);
    for (const [key, { source, target }] of draft.edges)
      if (source === gone || target === gone) draft.edges.delete(key);
    for (const [lineage, group] of draft.groups)
      draft.groups.set(lineage, { ...group, members: group.members.filter((member) => member !== gone) });
  },
  (draft, random) => changeNode(draft, random, () => ({ position: { x: random.below(9), y: random.below(9) } })),
  (draft, random, author) => changeNode(draft, random, () => ({ name: words(author) })),
  (draft, random) => changeNode(draft, random, () => ({ colour: random.oneOf(["#111111", "#222222"]) ?? null })),
  (draft, random) => changeNode(draft, random, ({ api }) => ({ api: { ...api, disabled: !api.disabled } })),
  (draft, random, author) =>
    changeNode(draft, random, ({ values }) => ({
      values: { ...values, [random.oneOf(["epochs", "rate", "seed"]) ?? ""]: random.below(2) || words(author) },
    })),
  (draft, random) => changeNode(draft, random, ({ values: { epochs: _unset, ...values } }) => ({ values })),
  (draft, random) =>
    changeNode(draft, random, ({ tags }) => ({ tags: [...new Set([...tags, random.oneOf(["a", "c", "d"]) ?? ""])] })),
  (draft, random) => changeNode(draft, random, ({ tags }) => ({ tags: tags.slice(1) })),
  (draft, random) =>
    changeNode(draft, random, ({ body }) => ({ body: body === null ? null : { cpu: 1 + random.below(4), ram_gb: 2 } })),
  ...Array.from({ length: 5 }, (): Edit => editCode),
  ...Array.from({ length: 3 }, (): Edit => (draft, random) => addEdge(draft, random)),
  (draft, random) => {
    const gone = random.oneOf([...draft.edges.keys()]);
    if (gone !== undefined) draft.edges.delete(gone);
  },
  (draft, random, author) => {
    const edge = random.oneOf([...draft.edges.entries()]);
    if (edge) draft.edges.set(edge[0], { ...edge[1], label: words(author) });
  },
  (draft, random) => {
    const edge = random.oneOf([...draft.edges.entries()]);
    if (edge) draft.edges.set(edge[0], { ...edge[1], segments: [{ x: random.below(9), y: 1 }] });
  },
  (draft, _random, author) => {
    const number = (author.name === "theirs" ? 30_000 : 40_000) + ++author.written;
    draft.groups.set(lineageOf(number), sampleGroup(number, []));
  },
  (draft, random) => {
    const gone = random.oneOf([...draft.groups.keys()]);
    if (gone !== undefined) draft.groups.delete(gone);
  },
  (draft, random, author) => changeGroup(draft, random, () => ({ name: words(author) })),
  (draft, random) => changeGroup(draft, random, ({ collapsed }) => ({ collapsed: !collapsed })),
  (draft, random) => changeGroup(draft, random, ({ members }) => ({ members: members.slice(1) })),
  (draft, random) => {
    const member = random.oneOf([...draft.nodes.keys()]);
    if (member === undefined) return;
    changeGroup(draft, random, ({ members }) => ({ members: [...new Set([...members, member])] }));
  },
];

/** Inserts, replaces or removes a line or two. */
function editCode(draft: Draft, random: Random, author: Author): void {
  changeNode(draft, random, ({ source_code }) => {
    if (source_code === "") return {};
    const lines = source_code.split(/(?<=\n)/);
    const added = Array.from({ length: random.below(3) }, () => randomLine(random, words(author)));
    lines.splice(random.below(lines.length + 1), random.below(5), ...added);
    return { source_code: lines.join("") };
  });
}
