import type { Member } from "./schemas/members.ts";

const byName = new Intl.Collator("en", { sensitivity: "base", numeric: true });

/** Each member once, by username. Of two with one id the later is kept: it may carry a newer avatar. */
export function arrangeMembers(members: readonly Member[]): Member[] {
  const unique = new Map(members.map((member) => [member.id, member]));
  return [...unique.values()].sort(
    (one, other) => byName.compare(one.username, other.username) || (one.id < other.id ? -1 : 1),
  );
}

export function withMember(members: readonly Member[], entered: Member): Member[] {
  return arrangeMembers([...members, entered]);
}

export function withoutMember(members: readonly Member[], left: Pick<Member, "id">): Member[] {
  return members.filter((member) => member.id !== left.id);
}
