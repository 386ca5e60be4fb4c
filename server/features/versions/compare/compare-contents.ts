import { isRecord, sameJson } from "@miranda/contract/json.ts";
import type {
  Comparison,
  EdgeDifference,
  FieldDifference,
  GroupDifference,
  NodeDifference,
  VersionEdge,
  VersionGroup,
  VersionNode,
} from "@miranda/contract/schemas/versions.ts";

import { finishAtOnce, finishInSlices, sortSteps, type Steps } from "../../../platform/time-slicing.ts";
import { byKey, type VersionContent } from "../version-content.ts";
import { bodiesFit, sameContent, sameMembers, samePosition, settingNames, settings } from "./node-settings.ts";

/** What differs between two versions of a workflow, or between two workflows that share nodes. */
export function compareContents(before: VersionContent, after: VersionContent): Comparison {
  return finishAtOnce(compareSteps(before, after));
}

/** The same, while other requests are served. */
export function compareInSlices(before: VersionContent, after: VersionContent): Promise<Comparison> {
  return finishInSlices(compareSteps(before, after));
}

function* compareSteps(before: VersionContent, after: VersionContent): Steps<Comparison> {
  const numberOf = ({ before: old, after: now }: NodeDifference): number => (now ?? old)?.metadata_id ?? 0;
  const nodes = yield* differences(before.nodes, after.nodes, compareNodes, (lineage, change, pair) => ({
    ...{ lineage, change, ...pair },
    fields: [],
  }));
  return {
    nodes: yield* sortSteps(nodes, (one, other) => numberOf(one) - numberOf(other)),
    edges: yield* differences(before.edges, after.edges, compareEdges, (_key, change, pair) => ({ change, ...pair })),
    groups: yield* differences(before.groups, after.groups, compareGroups, (lineage, change, pair) => ({
      ...{ lineage, change, ...pair },
    })),
  };
}

interface Pair<Item> {
  before: Item | null;
  after: Item | null;
}

/** By key: the database returns what it stores in any order. */
function* differences<Item, Difference>(
  before: ReadonlyMap<string, Item>,
  after: ReadonlyMap<string, Item>,
  compare: (before: Item, after: Item) => Difference | undefined,
  toDifference: (key: string, change: "added" | "removed", pair: Pair<Item>) => Difference,
): Steps<Difference[]> {
  const found: [string, Difference][] = [];
  for (const [key, now] of after) {
    const old = before.get(key);
    if (old === now) continue;
    const difference = old ? compare(old, now) : toDifference(key, "added", { before: null, after: now });
    if (difference) found.push([key, difference]);
    yield;
  }
  for (const [key, old] of before) {
    if (!after.has(key)) found.push([key, toDifference(key, "removed", { before: old, after: null })]);
    yield;
  }
  return (yield* sortSteps(found, byKey)).map(([, difference]) => difference);
}

function compareNodes(before: VersionNode, after: VersionNode): NodeDifference | undefined {
  const isMoved = !samePosition(before, after);
  if (sameContent(before, after)) {
    if (!isMoved) return undefined;
    return { lineage: after.lineage, change: "moved", before, after, fields: [moved(before, after)] };
  }
  const fields = [
    ...codeDifference(before, after),
    ...valueDifferences(before, after),
    ...settingDifferences(before, after),
    ...(isMoved ? [moved(before, after)] : []),
  ];
  return { lineage: after.lineage, change: "changed", before, after, fields };
}

function moved(before: VersionNode, after: VersionNode): FieldDifference {
  return { kind: "position", field: "position", before: before.position, after: after.position };
}

function codeDifference(before: VersionNode, after: VersionNode): FieldDifference[] {
  if (before.source_code === after.source_code) return [];
  return [{ kind: "code", field: "code", before: before.source_code, after: after.source_code }];
}

function valueDifferences(before: VersionNode, after: VersionNode): FieldDifference[] {
  return recordDifferences("value", "", before.values, after.values);
}

function settingDifferences(before: VersionNode, after: VersionNode): FieldDifference[] {
  const changed = settingNames.flatMap((field): FieldDifference[] => {
    const [old, now] = [settings[field](before), settings[field](after)];
    return sameJson(old, now) ? [] : [{ kind: "setting", field, before: old, after: now }];
  });
  return [...changed, ...tagDifference(before, after), ...bodyDifferences(before, after)];
}

function tagDifference(before: VersionNode, after: VersionNode): FieldDifference[] {
  if (sameMembers(before.tags, after.tags)) return [];
  return [{ kind: "setting", field: "tags", before: before.tags, after: after.tags }];
}

function bodyDifferences({ body: before }: VersionNode, { body: after }: VersionNode): FieldDifference[] {
  if (sameJson(before ?? null, after ?? null)) return [];
  if (isRecord(before) && isRecord(after) && bodiesFit(before, after))
    return recordDifferences("setting", "body.", before, after);
  return [{ kind: "setting", field: "body", before, after }];
}

function recordDifferences(
  kind: FieldDifference["kind"],
  prefix: string,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): FieldDifference[] {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((name) => !sameJson(old.get(name), now.get(name)))
    .map((name) => ({ kind, field: prefix + name, before: old.get(name), after: now.get(name) }));
}

function compareEdges(before: VersionEdge, after: VersionEdge): EdgeDifference | undefined {
  if (before.label !== after.label) return { change: "changed", before, after };
  return sameJson(before.segments, after.segments) ? undefined : { change: "moved", before, after };
}

function compareGroups(before: VersionGroup, after: VersionGroup): GroupDifference | undefined {
  const isSame =
    before.name === after.name &&
    before.colour === after.colour &&
    before.collapsed === after.collapsed &&
    sameMembers(before.members, after.members);
  return isSame ? undefined : { lineage: after.lineage, change: "changed", before, after };
}
