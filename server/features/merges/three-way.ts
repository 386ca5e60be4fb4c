import { sameJson } from "@miranda/contract/json.ts";

/** One value on the three sides of a merge. */
export interface Sides<Value> {
  /** Undefined without a common version. A base that is not set is `{ value: undefined }`. */
  base: { value: Value } | undefined;
  theirs: Value;
  mine: Value;
}

/** Takes the side that changed. When both changed in different ways, `decide` does. */
export function threeWay<Value>({ base, theirs, mine }: Sides<Value>, decide: () => Value): Value {
  if (sameJson(theirs, mine) || (base && sameJson(base.value, theirs))) return mine;
  return base && sameJson(base.value, mine) ? theirs : decide();
}

/** Members on one side, and whether a member could have been there at all. */
interface MemberSide {
  members: readonly string[];
  knows: (member: string) => boolean;
}

/** What one of the sides added is there; what one of them removed is not. */
export function mergeMembers(base: readonly string[], theirs: MemberSide, mine: MemberSide): string[] {
  const old = new Set(base);
  const [there, here] = [new Set(theirs.members), new Set(mine.members)];
  const survives = (member: string, other: ReadonlySet<string>, { knows }: MemberSide): boolean =>
    other.has(member) || !old.has(member) || !knows(member);
  return [
    ...mine.members.filter((member) => survives(member, there, theirs)),
    ...theirs.members.filter((member) => !here.has(member) && survives(member, here, mine)),
  ];
}
