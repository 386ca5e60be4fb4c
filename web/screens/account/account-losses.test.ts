import { expect, it } from "vitest";

import type { AccountDeletion } from "@miranda/contract/schemas/account/account-deletion.ts";

import { lossesOf } from "./account-losses.ts";

const nothing: AccountDeletion = {
  projects: 0,
  workflows: 0,
  models: 0,
  running_sessions: 0,
  members: 0,
  followers: 0,
  memberships: 0,
  is_only_admin: false,
  deployments: 0,
  deployment_titles: [],
  shared_projects: [],
  shared_count: 0,
};
const own = "Your name, e-mail, picture, access tokens and personal secrets";

it("names only what there is", () => {
  expect(lossesOf(nothing, {})).toEqual([own]);
  expect(lossesOf({ ...nothing, projects: 1 }, {})).toEqual([own, "1 project"]);
  expect(lossesOf({ ...nothing, projects: 2, models: 3, running_sessions: 1, memberships: 4 }, {})).toEqual([
    own,
    "2 projects with 3 models",
    "1 running session, stopped at once",
    "Your place in 4 projects of other people",
  ]);
});

it("leaves out what is handed over", () => {
  const deletion: AccountDeletion = {
    ...nothing,
    projects: 3,
    workflows: 1_205,
    models: 2,
    members: 2,
    followers: 1,
    shared_projects: [{ id: "a", name: "A", workflows: 5, models: 2, editors: [] }],
    shared_count: 1,
  };
  expect(lossesOf(deletion, {}).slice(1)).toEqual([
    "3 projects with 1,205 workflows and 2 models",
    "The access of 2 members and 1 follower to them",
  ]);
  expect(lossesOf(deletion, { a: "bea" }).slice(1)).toEqual([
    "2 projects with 1,200 workflows",
    "The access of up to 2 members and 1 follower to them",
  ]);
});
