import type { VersionGroup, VersionNode } from "@miranda/contract/schemas/versions.ts";

import { sameMembers } from "../versions/compare/node-settings.ts";
import type { Decisions, ReadValue } from "./decisions.ts";
import { mergeMembers, threeWay } from "./three-way.ts";
import { written } from "./written-values.ts";

interface GroupSides {
  base: VersionGroup | undefined;
  theirs: VersionGroup;
  mine: VersionGroup;
}

type Nodes = ReadonlyMap<string, VersionNode>;

/** A group that is on both sides. Whether it is collapsed is layout: when both changed it, mine stays. */
export function mergeGroup(
  { base, theirs, mine }: GroupSides,
  { theirNodes, myNodes, decisions }: { theirNodes: Nodes; myNodes: Nodes; decisions: Decisions },
): VersionGroup {
  function setting<Value>(field: string, of: (group: VersionGroup) => Value, read: ReadValue<Value>): Value {
    const values = { base: base && { value: of(base) }, theirs: of(theirs), mine: of(mine) };
    const about = { kind: "group", lineage: mine.lineage, name: mine.name, field, base: values.base?.value } as const;
    return threeWay(values, () => decisions.decide({ ...values, ...about }, read));
  }
  return {
    ...mine,
    name: setting("name", ({ name }) => name, written.name),
    colour: setting("colour", ({ colour }) => colour, written.colour),
    collapsed: base?.collapsed === mine.collapsed ? theirs.collapsed : mine.collapsed,
    members: mergeMembers(
      base?.members ?? [],
      { members: theirs.members, knows: (member) => theirNodes.has(member) },
      { members: mine.members, knows: (member) => myNodes.has(member) },
    ),
  };
}

/** Whether somebody changed the group since the common version. A member that was deleted is no change of the group. */
export function isGroupEdited(base: VersionGroup, group: VersionGroup, nodes: Nodes): boolean {
  const members = base.members.filter((member) => nodes.has(member));
  return base.name !== group.name || base.colour !== group.colour || !sameMembers(members, group.members);
}

/** Includes members whose nodes this side deleted. When the deletion loses, the node stays in its group. */
export function withDeletedMembers(base: VersionGroup, group: VersionGroup, nodes: Nodes): VersionGroup {
  return { ...group, members: [...group.members, ...base.members.filter((member) => !nodes.has(member))] };
}
