import { isRecord, sameJson } from "@miranda/contract/json.ts";
import type { VersionNode } from "@miranda/contract/schemas/versions.ts";

/** The settings of a node that are compared and merged as a whole, by name. Tags and the body are compared by part. */
export const settings = {
  name: (node) => node.name,
  description: (node) => node.description,
  order: (node) => node.order,
  colour: (node) => node.colour,
  disabled: (node) => node.api.disabled,
  locked: (node) => node.locked,
  git: (node) => node.git,
  git_branch: (node) => node.git_branch,
  update_policy: (node) => node.update_policy,
  template: (node) => node.template,
} as const satisfies Record<string, (node: VersionNode) => unknown>;

export type Setting = keyof typeof settings;

function isSetting(name: string): name is Setting {
  return Object.hasOwn(settings, name);
}

export const settingNames: readonly Setting[] = Object.keys(settings).filter(isSetting);

/** Whether the bodies of two policies have the same fields. A volume and a bucket have not. */
export function bodiesFit(one: unknown, other: unknown): boolean {
  return isRecord(one) && isRecord(other) && one["type"] === other["type"];
}

/** Whether two lists have the same members, in any order. */
export function sameMembers(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  if (one.every((member, at) => member === other[at])) return true;
  const members = new Set(one);
  return members.size === new Set(other).size && other.every((member) => members.has(member));
}

export function samePosition({ position: one }: VersionNode, { position: other }: VersionNode): boolean {
  return one.x === other.x && one.y === other.y;
}

/** Whether two nodes are equal except for where they are. What their code declares follows from the code. */
export function sameContent(one: VersionNode, other: VersionNode): boolean {
  return (
    one.source_code === other.source_code &&
    settingNames.every((name) => sameJson(settings[name](one), settings[name](other))) &&
    sameMembers(one.tags, other.tags) &&
    sameJson(one.values, other.values) &&
    sameJson(one.body ?? null, other.body ?? null)
  );
}

/** Whether a node is there and is exactly like another: replacing it would write nothing. */
export function isSameNode(one: VersionNode | undefined, other: VersionNode): boolean {
  if (one === other) return true;
  return (
    one?.class === other.class && samePosition(one, other) && sameContent(one, other) && sameJson(one.tags, other.tags)
  );
}
