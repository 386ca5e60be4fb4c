import { describe, expect, test } from "vitest";

import { arrangeMembers, withMember, withoutMember } from "./members.ts";
import type { Member } from "./schemas/members.ts";

const member = (id: string, username: string): Member => ({
  id,
  username,
  email: "",
  first_name: "",
  last_name: "",
  avatar: null,
});
const names = (members: Member[]) => members.map(({ username }) => username);

describe("members", () => {
  test("S4-017 are sorted by username, ignoring case", () => {
    const given = [member("1", "zoe"), member("2", "Bea"), member("3", "ada"), member("4", "émile")];
    expect(names(arrangeMembers(given))).toEqual(["ada", "Bea", "émile", "zoe"]);
    expect(names(given)).toEqual(["zoe", "Bea", "ada", "émile"]);
  });

  test("S4-018 are unique by id, the later one kept", () => {
    const arranged = arrangeMembers([member("1", "ada"), member("2", "bea"), member("1", "ada2")]);
    expect(names(arranged)).toEqual(["ada2", "bea"]);
  });

  test("S7-095 S7-096 enter and leave", () => {
    const both = withMember([member("2", "bea")], member("1", "ada"));
    expect(names(both)).toEqual(["ada", "bea"]);
    expect(names(withoutMember(both, { id: "2" }))).toEqual(["ada"]);
  });
});
