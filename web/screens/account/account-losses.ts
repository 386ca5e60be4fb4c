import type { AccountDeletion } from "@miranda/contract/schemas/account/account-deletion.ts";

import { counted } from "../../ui/counted.ts";

/** New owners by project. */
export type Transfers = Readonly<Record<string, string>>;

/** What goes with an account, one line each. */
export function lossesOf(deletion: AccountDeletion, transfers: Transfers): string[] {
  const handedOver = deletion.shared_projects.filter(({ id }) => transfers[id] !== undefined);
  const projects = deletion.projects - handedOver.length;
  const content = [
    some(
      handedOver.reduce((left, project) => left - project.workflows, deletion.workflows),
      "workflow",
    ),
    some(
      handedOver.reduce((left, project) => left - project.models, deletion.models),
      "model",
    ),
  ];
  const people = joined([some(deletion.members, "member"), some(deletion.followers, "follower")]);
  // Some of them may only know a project that is handed over.
  const upTo = handedOver.length > 0 ? "up to " : "";
  return [
    "Your name, e-mail, picture, access tokens and personal secrets",
    projects > 0 && joined([counted(projects, "project"), joined(content)], " with "),
    projects > 0 && people && `The access of ${upTo}${people} to them`,
    deletion.running_sessions > 0 && `${counted(deletion.running_sessions, "running session")}, stopped at once`,
    deletion.memberships > 0 && `Your place in ${counted(deletion.memberships, "project")} of other people`,
  ].filter((line): line is string => line !== false && line !== "");
}

const some = (count: number, noun: string): string => (count > 0 ? counted(count, noun) : "");
const joined = (parts: readonly string[], word = " and "): string => parts.filter(Boolean).join(word);
