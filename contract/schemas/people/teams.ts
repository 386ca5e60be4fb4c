import { z } from "zod";

import { formText } from "../../limits.ts";
import { Id, oneOf, requiredText } from "../forms.ts";
import { MemberRole } from "../members.ts";

// A team is a named set of people. A project can have it as a member.

/** An owner and managers say who is in the team. */
export const TeamRole = oneOf("Role", ["owner", "manager", "member"]);
export type TeamRole = z.infer<typeof TeamRole>;

export const Team = z.object({
  id: z.string(),
  name: z.string(),
  /** The caller's. Null for an administrator who is not in the team. */
  role: z.enum(["owner", "manager", "member"]).nullable(),
  people: z.number(),
  projects: z.number(),
});
export type Team = z.infer<typeof Team>;

export const TeamList = z.array(Team);
export type TeamList = z.infer<typeof TeamList>;

const TeamPerson = z.object({
  id: z.string(),
  username: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  avatar: z.string().nullable(),
  role: z.enum(["owner", "manager", "member"]),
});
export type TeamPerson = z.infer<typeof TeamPerson>;

export const TeamDetails = z.object({
  team: Team,
  people: z.array(TeamPerson),
  projects: z.array(z.object({ id: z.string(), name: z.string(), role: z.enum(["viewer", "editor"]) })),
});
export type TeamDetails = z.infer<typeof TeamDetails>;

export const TeamBody = z.object({ name: requiredText("Name", formText.shortTextMax) });
export type TeamBody = z.infer<typeof TeamBody>;

export const AddTeamPersonBody = z.object({
  user: requiredText("Username or e-mail", formText.emailMax),
  role: oneOf("Role", ["manager", "member"]).default("member"),
});
export type AddTeamPersonBody = z.infer<typeof AddTeamPersonBody>;

/** `owner` gives the team away: the old owner becomes a manager. */
export const PatchTeamPersonBody = z.object({ role: TeamRole });
export type PatchTeamPersonBody = z.infer<typeof PatchTeamPersonBody>;

/** A team as a project lists it. */
export const ProjectTeam = z.object({
  id: z.string(),
  name: z.string(),
  people: z.number(),
  role: z.enum(["viewer", "editor"]),
  /** Whether the caller is in it. */
  yours: z.boolean(),
});
export type ProjectTeam = z.infer<typeof ProjectTeam>;

export const ProjectTeamList = z.array(ProjectTeam);
export type ProjectTeamList = z.infer<typeof ProjectTeamList>;

export const AddProjectTeamBody = z.object({ team: Id, role: MemberRole.default("viewer") });
export type AddProjectTeamBody = z.infer<typeof AddProjectTeamBody>;
