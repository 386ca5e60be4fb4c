import { z } from "zod";

import { accountDeletion as limits, formText } from "../../limits.ts";
import { formJson, Id, requiredText } from "../forms.ts";

const Editor = z.object({ id: z.string(), username: z.string(), first_name: z.string(), last_name: z.string() });

/** A project of the account that can be handed over, because it has an editor. */
const SharedProject = z.object({
  id: z.string(),
  name: z.string(),
  workflows: z.number(),
  models: z.number(),
  editors: z.array(Editor),
});
export type SharedProject = z.infer<typeof SharedProject>;

/** What deleting an account removes. */
export const AccountDeletion = z.object({
  projects: z.number(),
  workflows: z.number(),
  models: z.number(),
  /** The account's own sessions, and other people's in its projects. */
  running_sessions: z.number(),
  /** Other accounts that lose access to its projects. */
  members: z.number(),
  followers: z.number(),
  /** Other people's projects that it is a member of. */
  memberships: z.number(),
  is_only_admin: z.boolean(),
  /** Deployments that would serve nobody any more: its own, and those in its projects. */
  deployments: z.number(),
  deployment_titles: z.array(z.string()),
  /** The newest ones. `shared_count` is the number of all. */
  shared_projects: z.array(SharedProject),
  shared_count: z.number(),
});
export type AccountDeletion = z.infer<typeof AccountDeletion>;

const notProjects = 'Projects must be "delete", or {"transfer": {project id: account id}}.';

const Transfers = z
  .record(Id, Id, notProjects)
  .refine(
    (transfers) => Object.keys(transfers).length <= limits.transfersMax,
    `At most ${limits.transfersMax} projects can be handed over at once.`,
  );

/** Which account gets which project. Projects that are not handed over are deleted. */
const ProjectsChoice = z
  .unknown()
  .transform((choice) => (choice === "delete" ? { transfer: {} } : choice))
  .pipe(formJson(z.object({ transfer: Transfers }, notProjects), notProjects))
  .transform(({ transfer }) => transfer);

export const DeleteAccountBody = z.object({
  username: requiredText("Username", formText.emailMax),
  /** Empty for somebody who has just proved who they are with a passkey, or at a provider. */
  password: z
    .string({ error: "Password is required." })
    .max(formText.passwordMax, "That password is too long.")
    .default(""),
  projects: ProjectsChoice,
});
export type DeleteAccountBody = z.infer<typeof DeleteAccountBody>;
