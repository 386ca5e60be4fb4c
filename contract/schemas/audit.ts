import { z } from "zod";

import { formText, paging } from "../limits.ts";
import { numberBetween, oneOf, OptionalId, optionalText } from "./forms.ts";

/**
 * Everything that the audit log records, with its words. The sentence is the name of the person and these words; `{subject}`,
 * `{project}` and the names of details stand for their values. `{name|words}` gives the words for an empty value.
 */
export const auditWords = {
  "account.register": "registered",
  "account.delete": "deleted the account {subject} with {projects|its projects}",
  "account.email": "changed the e-mail address of the account",
  "sign_in.password": "signed in with a password",
  "sign_in.oidc": "signed in with {provider|another provider}",
  "sign_in.passkey": "signed in with a passkey",
  "sign_in.failed": "could not sign in as {subject|an unknown name}",
  "sign_out.own": "signed out",
  "sign_out.browser": "signed out another browser: {subject}",
  "sign_out.everywhere": "signed out all other browsers",
  "identity.connect": "connected the account with {provider}",
  "identity.disconnect": "disconnected the account from {provider}",
  "email.confirm": "confirmed the e-mail address",
  "password.forgot": "asked for a mail to set a new password",
  "password.change": "changed the password",
  "password.refused": "gave a wrong password",
  "password.link": "made a link to set the password of {subject}",
  "password.reset": "set a new password with a link",
  "second_factor.add": "added a second factor: {subject}",
  "second_factor.remove": "removed a second factor: {subject}",
  "second_factor.failed": "gave a wrong code",
  "token.create": "created the access token {subject} ({scope|everything})",
  "token.revoke": "revoked the access token {subject}",
  "secret.save": "saved the secret {subject}",
  "secret.delete": "deleted the secret {subject}",
  "secret.read": "ran code that read the secret {subject}",
  "secret.git": "used the secret {subject} for git",
  "project.create": "created the project {project}",
  "project.delete": "deleted the project {project}",
  "project.visibility": "made {project} {visibility}",
  "project.shares_end": "ended {shares} of {project}",
  "project.transfer": "handed {project} over{giver} to {subject}",
  "project.take_over": "took {project} over from {subject}",
  "project.transfer_offer": "offered {project} to {subject}",
  "project.transfer_end": "ended the offer of {project} to {subject}",
  "member.add": "made {subject} {role|a member} of {project}",
  "member.change": "made {subject} {role|a member} of {project}",
  "member.remove": "removed {subject} from {project}",
  "member.leave": "left {project}",
  "invitation.create": "invited {subject|somebody} to {project|this installation}",
  "invitation.withdraw": "withdrew the invitation of {subject|somebody}",
  "invitation.accept": "accepted an invitation to {project|this installation}",
  "workflow.create": "created the workflow {subject} in {project}",
  "workflow.delete": "deleted the workflow {subject} in {project}",
  "team.create": "created the team {subject}",
  "team.change": "changed the team {subject}: {change}",
  "team.delete": "deleted the team {subject}",
  "template.publish": "published the template {subject}",
  "template.withdraw": "withdrew the template {subject}",
  "version.save": "saved version {number} of {subject} in {project}",
  "version.publish": "published version {number} of {subject} in {project}",
  "deployment.deploy": "deployed {subject} in {project}",
  "deployment.change": "changed {changes|settings} of the deployment {subject} in {project}",
  "deployment.release": "made release {number} of the deployment {subject} in {project}",
  "deployment.serve": "let the deployment {subject} serve {release} as {channel}",
  "deployment.share": "shared the deployment {subject} by {with}",
  "deployment.unshare": "no longer shares the deployment {subject} by {with}",
  "deployment.token": "created the token {token} of the deployment {subject}",
  "deployment.token_revoke": "revoked the token {token} of the deployment {subject}",
  "deployment.withdraw": "withdrew the deployment {subject} in {project}",
  "model.delete": "deleted the model {subject} in {project}",
  "model.restore": "restored the model {subject} in {project}",
  "model.version_delete": "deleted version {number} of the model {subject} in {project}",
  "model.version_restore": "restored version {number} of the model {subject} in {project}",
  "model.alias_set": "set the alias {alias} of the model {subject} to version {to} in {project}",
  "model.alias_move": "moved the alias {alias} of the model {subject} from version {from} to version {to} in {project}",
  "model.alias_remove": "removed the alias {alias} from version {from} of the model {subject} in {project}",
  "model.empty_trash": "removed the deleted models of {project} for good",
  "bucket.set": "set the model storage of {project}: {subject}",
  "bucket.remove": "removed the model storage of {project}",
  "webhook.add": "added the webhook {subject} to {project}",
  "webhook.change": "changed the webhook {subject} of {project}",
  "webhook.remove": "removed the webhook {subject} from {project}",
  "budget.set": "set the monthly budget of {project|the account} to {amount}",
  "budget.remove": "removed the monthly budget of {project|the account}",
  "purse.fill": "added {amount} to the project credits of {project}",
  "purse.use": "decided that {project} {pays}",
  "purse.close": "closed the project credits of {project}",
  "session.start": "started a session of {subject} in {project}",
  "session.stop": "stopped the session of {subject}, started by {person|somebody}, in {project}",
  "run.start": "ran {subject} in {project}",
  "admin.grant": "granted {amount} to {subject}",
  "admin.correction": "took back {amount} of what was granted to {subject}",
  "admin.account_create": "created the account {subject}",
  "admin.account_change": "changed the account {subject}: {change}",
  "admin.account_disable": "disabled the account {subject}",
  "admin.account_enable": "enabled the account {subject}",
  "admin.admin_add": "made {subject} an administrator",
  "admin.admin_remove": "removed the administrator role from {subject}",
  "admin.second_factor_remove": "removed the second factor of {subject}",
  "admin.sign_out": "signed {subject} out everywhere",
  "admin.settings": "changed the settings of the installation: {change}",
  "admin.prices": "set prices: {change}",
  "admin.storage": "freed storage: {change}",
  "admin.queue_remove": "removed the session of {subject} in {project} from the queue",
  "admin.machine_close": "closed the machine {subject} to new sessions",
  "admin.machine_open": "opened the machine {subject} to new sessions",
  "admin.backup": "made a backup",
  "backup.make": "made a backup {how}",
  "backup.restore": "restored the backup of {made_at}",
  "audit.export": "exported the audit log of {project|the installation}",
} as const;

export type AuditKind = keyof typeof auditWords;

export const AuditDetails = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
export type AuditDetails = z.infer<typeof AuditDetails>;

/** A record as people read it. */
export const AuditRecord = z.object({
  /** Later records have higher numbers. The key of the next page. */
  id: z.number(),
  time: z.string(),
  kind: z.string(),
  result: z.enum(["done", "refused"]),
  /** Null for somebody who was not signed in, and for Miranda itself. The name at that time. */
  actor: z.object({ id: z.string(), name: z.string() }).nullable(),
  address: z.string(),
  /** Browser and system, in words. */
  browser: z.string(),
  project: z.object({ id: z.string(), name: z.string() }).nullable(),
  subject: z.object({ kind: z.string(), id: z.string(), name: z.string() }).nullable(),
  details: AuditDetails,
  /** "ada made bob an editor of Iris" */
  sentence: z.string(),
});
export type AuditRecord = z.infer<typeof AuditRecord>;

export const AuditPage = z.object({ events: z.array(AuditRecord), next: z.number().nullable() });
export type AuditPage = z.infer<typeof AuditPage>;

/** Forms send an empty text when nothing was chosen. */
const chosen = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === "" ? undefined : value), schema.optional());

const Day = (label: string) => {
  const words = `${label} must be a day such as 2026-03-31.`;
  return chosen(z.iso.date(words).refine((day) => day >= "2000" && day < "2200", words));
};

const optional = (label: string, max: number) =>
  optionalText(label, max)
    .transform((text) => (text === "" ? undefined : text))
    .optional();

/** What a person looks for. Days are in UTC. */
export const AuditFilter = z.object({
  /** The username of who did it, or whom it was done to. */
  person: optional("Person", formText.emailMax),
  /** The first part of a kind, such as `member`, or all of it. */
  kind: optional("Kind", 60),
  project_id: OptionalId,
  result: chosen(oneOf("Result", ["done", "refused"])),
  from: Day("From"),
  to: Day("To"),
  text: optional("Text", 100),
});
export type AuditFilter = z.infer<typeof AuditFilter>;

export const AuditQuery = AuditFilter.extend({
  limit: numberBetween("limit", { min: 1, max: paging.pageMax }, "whole").default(paging.page),
  after: numberBetween("after", { min: 1, max: Number.MAX_SAFE_INTEGER }, "whole").optional(),
});
export type AuditQuery = z.infer<typeof AuditQuery>;
