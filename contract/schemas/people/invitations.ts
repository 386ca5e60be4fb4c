import { z } from "zod";

import { formText } from "../../limits.ts";
import { invitation as limits } from "./limits.ts";
import { optionalText, requiredText } from "../forms.ts";
import { MemberRole } from "../members.ts";

// An invitation is a link for one person, to a project or only to the installation.

const InvitationState = z.enum(["open", "used", "withdrawn", "expired"]);
export type InvitationState = z.infer<typeof InvitationState>;

export const Invitation = z.object({
  id: z.string(),
  project_id: z.string().nullable(),
  /** In the project. Null without one. */
  role: z.enum(["viewer", "editor"]).nullable(),
  /** Only this address may use it. Null: whoever has the link. */
  email: z.string().nullable(),
  state: InvitationState,
  /** Usernames. */
  inviter: z.string(),
  used_by: z.string().nullable(),
  time_created: z.string(),
  time_expires: z.string(),
});
export type Invitation = z.infer<typeof Invitation>;

export const InvitationList = z.array(Invitation);
export type InvitationList = z.infer<typeof InvitationList>;

const InvitedEmail = optionalText("E-mail", formText.emailMax).refine(
  (email) => email === "" || z.email().safeParse(email).success,
  "That is not an e-mail address we can write to.",
);

/** To the installation. */
export const InviteBody = z.object({ email: InvitedEmail.default("") });
export type InviteBody = z.infer<typeof InviteBody>;

export const InviteToProjectBody = InviteBody.extend({ role: MemberRole.default("viewer") });
export type InviteToProjectBody = z.infer<typeof InviteToProjectBody>;

/** The only answer that has the link. */
export const NewInvitation = z.object({
  invitation: Invitation,
  /** The path of its page. */
  path: z.string(),
  /** Whether it was sent by e-mail. */
  mailed: z.boolean(),
});
export type NewInvitation = z.infer<typeof NewInvitation>;

const InvitationToken = requiredText("The invitation", limits.tokenMax);

export const InvitationTokenBody = z.object({ token: InvitationToken });
export type InvitationTokenBody = z.infer<typeof InvitationTokenBody>;

/** What somebody sees who has the link. */
export const OpenedInvitation = z.object({
  project: z.string().nullable(),
  role: z.enum(["viewer", "editor"]).nullable(),
  inviter: z.string(),
  email: z.string().nullable(),
  time_expires: z.string(),
  /** False while only administrators may let new people in. */
  can_register: z.boolean(),
});
export type OpenedInvitation = z.infer<typeof OpenedInvitation>;

export const AcceptedInvitation = z.object({ project_id: z.string().nullable() });
export type AcceptedInvitation = z.infer<typeof AcceptedInvitation>;
