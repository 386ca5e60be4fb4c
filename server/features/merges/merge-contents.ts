import { compareBudget } from "@miranda/contract/text/merge-text.ts";
import type { Conflict, VersionEdge, VersionGroup, VersionNode } from "@miranda/contract/schemas/versions.ts";

import { finishAtOnce, finishInSlices, type Steps } from "../../platform/time-slicing.ts";
import { orderSteps, type VersionContent } from "../versions/version-content.ts";
import { createDecisions, type Decisions, type Resolutions } from "./decisions.ts";
import { mergeEdge } from "./merge-edge.ts";
import { isGroupEdited, mergeGroup, withDeletedMembers } from "./merge-group.ts";
import { isEdited, mergeNode } from "./merge-node.ts";

/** The three sides of a merge: what both had in common, where the changes come from, and where they go to. */
export interface MergeSides {
  /** Null when the two have no common version. Then every difference is a conflict, and additions are kept. */
  base: VersionContent | null;
  theirs: VersionContent;
  mine: VersionContent;
}

const empty: VersionContent = { nodes: new Map(), edges: new Map(), groups: new Map() };

interface Merged {
  merged: VersionContent;
  /** All conflicts. Which there are does not depend on the resolutions. */
  conflicts: Conflict[];
}

/** Brings their changes into mine. */
export function mergeContents(sides: MergeSides, resolutions: Resolutions): Merged {
  return finishAtOnce(mergeSteps(sides, resolutions));
}

/** The same, while other requests are served. */
export function mergeInSlices(sides: MergeSides, resolutions: Resolutions): Promise<Merged> {
  return finishInSlices(mergeSteps(sides, resolutions));
}

function* mergeSteps(sides: MergeSides, resolutions: Resolutions): Steps<Merged> {
  const base = sides.base ?? empty;
  const theirs = yield* orderSteps(sides.theirs);
  const mine = yield* orderSteps(sides.mine);
  const decisions = createDecisions(resolutions);
  const nodes = yield* mergeNodes({ base, theirs, mine }, decisions);
  const edges = yield* mergeEdges({ base, theirs, mine }, nodes, decisions);
  const groups = yield* mergeGroups({ base, theirs, mine }, nodes, decisions);
  return { merged: { nodes, edges, groups }, conflicts: decisions.conflicts };
}

type Contents = MergeSides & { base: VersionContent };

function* mergeNodes({ base, theirs, mine }: Contents, decisions: Decisions): Steps<ReadonlyMap<string, VersionNode>> {
  const budget = compareBudget();
  return yield* mergeMaps(base.nodes, theirs.nodes, mine.nodes, {
    both: (sides) => mergeNode(sides, decisions, budget),
    // Deleting wins over moving.
    deleted: (old, left, sides) => {
      if (!isEdited(old, left)) return null;
      const about = { lineage: left.lineage, name: left.name, field: "", base: old };
      return decisions.decide({ kind: "deleted", ...about, ...sides });
    },
  });
}

function* mergeEdges(
  { base, theirs, mine }: Contents,
  nodes: ReadonlyMap<string, VersionNode>,
  decisions: Decisions,
): Steps<ReadonlyMap<string, VersionEdge>> {
  const hasEnds = (there: ReadonlyMap<string, VersionNode>, { source, target }: VersionEdge): boolean =>
    there.has(source) && there.has(target);
  const nameOf = ({ source, transmitter, target, receiver }: VersionEdge): string =>
    `${nodes.get(source)?.name}.${transmitter} → ${nodes.get(target)?.name}.${receiver}`;
  const merged = yield* mergeMaps(base.edges, theirs.edges, mine.edges, {
    both: (sides, key) => mergeEdge(sides, { key, nameOf, decisions }),
    deleted: (old, left, sides, key) => {
      // The edge was deleted with its node. When the node stays, the edge stays too.
      if (!hasEnds(sides.mine ? theirs.nodes : mine.nodes, left)) return left;
      if (old.label === left.label) return null;
      const about = { lineage: left.target, name: nameOf(left), field: "", base: old };
      return decisions.decide({ kind: "edge", key, ...about, ...sides });
    },
  });
  for (const [key, edge] of merged) if (!hasEnds(nodes, edge)) merged.delete(key);
  return merged;
}

function* mergeGroups(
  { base, theirs, mine }: Contents,
  nodes: ReadonlyMap<string, VersionNode>,
  decisions: Decisions,
): Steps<ReadonlyMap<string, VersionGroup>> {
  const merged = yield* mergeMaps(base.groups, theirs.groups, mine.groups, {
    both: (sides) => mergeGroup(sides, { theirNodes: theirs.nodes, myNodes: mine.nodes, decisions }),
    deleted: (old, left, sides) => {
      const there = sides.mine ? mine.nodes : theirs.nodes;
      if (!isGroupEdited(old, left, there)) return null;
      const about = { lineage: left.lineage, name: left.name, field: "", base: old };
      const kept = decisions.decide({ kind: "group", ...about, ...sides });
      return kept && withDeletedMembers(old, kept, there);
    },
  });
  const present = ({ members, ...group }: VersionGroup): VersionGroup => ({
    ...group,
    members: members.filter((member) => nodes.has(member)),
  });
  return new Map([...merged].map(([lineage, group]) => [lineage, present(group)]));
}

interface Rules<Item> {
  /** On both sides. `base` is undefined when both added it. */
  both: (sides: { base: Item | undefined; theirs: Item; mine: Item }, key: string) => Item;
  /** On one side only, because the other deleted it. Null deletes it. */
  deleted: (base: Item, left: Item, sides: { theirs: Item | null; mine: Item | null }, key: string) => Item | null;
}

/** In the order of mine, then what only they have. */
function* mergeMaps<Item>(
  base: ReadonlyMap<string, Item>,
  theirs: ReadonlyMap<string, Item>,
  mine: ReadonlyMap<string, Item>,
  { both, deleted }: Rules<Item>,
): Steps<Map<string, Item>> {
  const merged = new Map<string, Item>();
  const alone = (key: string, left: Item, sides: { theirs: Item | null; mine: Item | null }): void => {
    const old = base.get(key);
    const kept = old ? deleted(old, left, sides, key) : left;
    if (kept) merged.set(key, kept);
  };
  for (const [key, here] of mine) {
    const there = theirs.get(key);
    if (there) merged.set(key, both({ base: base.get(key), theirs: there, mine: here }, key));
    else alone(key, here, { theirs: null, mine: here });
    yield;
  }
  for (const [key, there] of theirs) {
    if (!mine.has(key)) alone(key, there, { theirs: there, mine: null });
    yield;
  }
  return merged;
}
