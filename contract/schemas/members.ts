import { z } from "zod";

import { formText } from "../limits.ts";
import { Id, oneOf, optionalText, requiredText } from "./forms.ts";
import { PageKeyQuery } from "./pages.ts";
import { ProjectAccess, SearchText } from "./projects.ts";

/** An account as other people see it: in a graph, and among the members of a project. */
export const Member = z.object({
  id: z.string(),
  username: z.string(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  avatar: z.string().nullable(),
});
export type Member = z.infer<typeof Member>;

export const ProjectMember = Member.extend({ role: ProjectAccess });
export type ProjectMember = z.infer<typeof ProjectMember>;

export const ProjectMemberList = z.array(ProjectMember);
export type ProjectMemberList = z.infer<typeof ProjectMemberList>;

/** Members are listed by username, the owner first. `after` is the username of the last one of the page before. */
export const MemberPageQuery = PageKeyQuery.extend({
  after: optionalText("after", formText.usernameMax).optional(),
  query: SearchText.default(""),
});
export type MemberPageQuery = z.infer<typeof MemberPageQuery>;

/** The roles that a member can be invited as. A project has one owner; ownership is transferred. */
export const MemberRole = oneOf("Role", ["viewer", "editor"]);
export type MemberRole = z.infer<typeof MemberRole>;

const UsernameOrEmail = requiredText("Username or e-mail", formText.emailMax);

export const MemberParams = z.object({ id: Id, memberId: Id });
export type MemberParams = z.infer<typeof MemberParams>;

export const AddMemberBody = z.object({ user: UsernameOrEmail, role: MemberRole.default("viewer") });
export type AddMemberBody = z.infer<typeof AddMemberBody>;

export const PatchMemberBody = z.object({ role: MemberRole });
export type PatchMemberBody = z.infer<typeof PatchMemberBody>;

export const TransferProjectBody = z.object({ user: UsernameOrEmail });
export type TransferProjectBody = z.infer<typeof TransferProjectBody>;
