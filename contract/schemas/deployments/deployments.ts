import { z } from "zod";

import { isRecord } from "../../json.ts";
import { budget, deployment as limits, formText } from "../../limits.ts";
import { CommitAuthor } from "../code.ts";
import { formJson, Id, numberBetween, oneOf, optionalText, requiredText, yesOrNo } from "../forms.ts";
import { PageKeyQuery } from "../pages.ts";
import { ReleaseForm } from "./release-forms.ts";

// A deployment serves versions of one workflow to people and programs. A workflow has at most one deployment.

const accesses = ["project", "accounts", "people", "link"] as const;
/** Who may use it: members of the project, every account, listed people, or anybody who has its link. Each includes the first. */
export const DeploymentAccess = z.enum(accesses);
export type DeploymentAccess = z.infer<typeof DeploymentAccess>;

const payers = ["owner", "caller"] as const;
export const DeploymentPayer = z.enum(payers);
export type DeploymentPayer = z.infer<typeof DeploymentPayer>;

const channels = ["production", "staging"] as const;
/** `production` serves everybody who may use the deployment, `staging` those who may change it. */
export const Channel = z.enum(channels);
export type Channel = z.infer<typeof Channel>;

/** Parts of addresses of their own. */
const reservedNames = new Set(["links", "results", "new"]);

/** The short name in addresses. */
export const DeploymentName = z
  .string({ error: "Short name is required." })
  .trim()
  .regex(
    /^[a-z][a-z0-9-]{1,58}[a-z0-9]$/,
    "A short name has 3 to 60 small letters, digits and dashes, and begins with a letter.",
  )
  .refine((name) => !Id.safeParse(name).success && !reservedNames.has(name), "That short name cannot be used.");
export type DeploymentName = z.infer<typeof DeploymentName>;

/** A version with its form. It never changes. */
export const Release = z.object({
  id: z.string(),
  /** Counts the releases of a deployment from 1. */
  number: z.number(),
  version: z.object({ id: z.string(), number: z.number().nullable(), name: z.string() }),
  form: ReleaseForm,
  note: z.string(),
  by: CommitAuthor.nullable(),
  time_created: z.string(),
  /** When it last became production; null when it never was. */
  time_served: z.string().nullable(),
});
export type Release = z.infer<typeof Release>;

/** What callers are told to wait, and what calls and warm processors may cost. Amounts are in credits; null: no limit. */
export const DeploymentPolicy = z.object({
  /** Processors that serve calls at the same time. Each serves one call after the other. */
  at_once: z.number(),
  /** Processors that stay ready while nobody calls. */
  warm: z.number(),
  /** Minutes without a call after which a processor beyond `warm` ends. */
  idle_minutes: z.number(),
  /** Calls that may wait. The next one is refused. */
  queue_max: z.number(),
  call_budget: z.number().nullable(),
  day_budget: z.number().nullable(),
  /** Seconds that a call may take; null: no limit. */
  call_seconds: z.number().nullable(),
  payer: DeploymentPayer,
  /** Null: what the compute policies of the workflow say. */
  compute: z.object({ cpu: z.number(), ram_gb: z.number() }).nullable(),
});
export type DeploymentPolicy = z.infer<typeof DeploymentPolicy>;

/** A deployment as those see it who may read its project. Editors and owners also get `sharing`. */
export const Deployment = z.object({
  id: z.string(),
  name: z.string(),
  title: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  /** Changes with the picture; null without one. */
  picture: z.string().nullable(),
  graph: z.object({ id: z.string(), name: z.string(), project_id: z.string(), project_name: z.string() }),
  /** Who deployed it, and pays unless the callers do. */
  owner: CommitAuthor.nullable(),
  access: DeploymentAccess,
  policy: DeploymentPolicy,
  production: Release.nullable(),
  staging: Release.nullable(),
  /** The owner paused it. */
  paused: z.boolean(),
  /** Null: no calls are served. In words why: the owner paused it, or it has no production release. */
  paused_reason: z.string().nullable(),
  calls: z.object({ queued: z.number(), running: z.number(), today: z.number(), failed_today: z.number() }),
  cost_today: z.number(),
  /** What the caller may do with it. */
  right: z.enum(["read", "release", "manage"]),
  sharing: z
    .object({
      people: z.array(CommitAuthor),
      /** The secret part of the link's address; null when there is none. */
      link: z.string().nullable(),
      embed_origins: z.array(z.string()),
      /** The address for other programs. Its secret part is shown once, when it is made. */
      hook: z
        .object({ hint: z.string(), signed: z.boolean(), field: z.string().nullable(), time_created: z.string() })
        .nullable(),
    })
    .optional(),
  time_created: z.string(),
  time_changed: z.string(),
});
export type Deployment = z.infer<typeof Deployment>;

const Origin = z
  .string()
  .trim()
  .max(300)
  .regex(/^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$/, "Write an origin as https://example.com.");

const policyShape = {
  at_once: numberBetween("Calls at once", { min: 1, max: limits.atOnceMax }, "whole"),
  warm: numberBetween("Warm processors", { min: 0, max: limits.atOnceMax }, "whole"),
  idle_minutes: numberBetween("Minutes without a call", { min: 1, max: 1_440 }, "whole"),
  queue_max: numberBetween("Waiting calls", { min: 0, max: limits.queueMax }, "whole"),
  call_budget: formJson(z.number().min(budget.min).max(budget.max).nullable()),
  day_budget: formJson(z.number().min(budget.min).max(budget.max).nullable()),
  call_seconds: formJson(z.number().int().min(1).max(limits.callSecondsMax).nullable()),
  payer: oneOf("Who pays", payers),
  compute: formJson(z.object({ cpu: z.number().min(0.1).max(256), ram_gb: z.number().min(0.1).max(4_096) }).nullable()),
};

/** Settings that whoever may release can change (title to tags), and those that only the owners can. All are optional. */
export const DeploymentPatch = z
  .object({
    name: DeploymentName,
    title: requiredText("Title", formText.nameMax),
    description: optionalText("Description", limits.descriptionMax),
    tags: formJson(z.array(requiredText("Tag", formText.tagMax)).max(limits.tagsMax)),
    access: oneOf("Who may use it", accesses),
    /** Usernames or e-mail addresses. Replaces the list. */
    people: formJson(z.array(requiredText("Person", formText.emailMax)).max(limits.peopleMax)),
    embed_origins: formJson(z.array(Origin).max(limits.originsMax)),
    paused: yesOrNo("paused"),
    /** The caller becomes its owner, and pays from then on. */
    take_over: yesOrNo("take_over"),
    ...policyShape,
  })
  .partial();
export type DeploymentPatch = z.infer<typeof DeploymentPatch>;

/** Lists that are far too long are refused before their parts are looked at. */
function isShort(form: unknown): boolean {
  if (!isRecord(form)) return true;
  return Object.values(form).every((list) => !Array.isArray(list) || list.length <= limits.stepsMax);
}

export const ReleaseBody = z.object({
  /** The number of a named version. */
  version: numberBetween("Version", { min: 1, max: 2_147_483_647 }, "whole"),
  form: formJson(z.unknown().refine(isShort, "This form is too long.").pipe(ReleaseForm)),
  note: optionalText("Note", limits.noteMax).default(""),
  /** Where it is served at once. Left out: nowhere yet. */
  channel: oneOf("Channel", channels).optional(),
});
export type ReleaseBody = z.infer<typeof ReleaseBody>;

/** Deploys a workflow: its settings and its first release. */
export const DeployBody = DeploymentPatch.extend({
  name: DeploymentName,
  title: requiredText("Title", formText.nameMax),
  release: formJson(ReleaseBody),
});
export type DeployBody = z.infer<typeof DeployBody>;

/** What a release of a version could ask for and show: every field of its code blocks, and every output. */
export const ReleaseProposal = z.object({
  version: z.object({ number: z.number(), name: z.string() }),
  /** `ticked`: as the release before had it. Without one, the first fields with a control, and the ends of the graph. */
  fields: z.array(ReleaseForm.shape.fields.element.extend({ node_name: z.string(), ticked: z.boolean() })),
  outputs: z.array(ReleaseForm.shape.outputs.element.extend({ node_name: z.string(), ticked: z.boolean() })),
  steps: ReleaseForm.shape.steps.unwrap(),
  /** What the release before had and this version does not, in words. */
  missing: z.array(z.string()),
});
export type ReleaseProposal = z.infer<typeof ReleaseProposal>;

export const ChannelBody = z.object({
  /** The number of a release; null: serves nothing any more. */
  release: formJson(z.number().int().positive().nullable()),
});
export type ChannelBody = z.infer<typeof ChannelBody>;

export const DeploymentPage = z.object({ deployments: z.array(Deployment), next: z.string().nullable() });
export type DeploymentPage = z.infer<typeof DeploymentPage>;

export const ReleasePage = z.object({ releases: z.array(Release), next: z.string().nullable() });
export type ReleasePage = z.infer<typeof ReleasePage>;

/** A token that can call one deployment and do nothing else. */
export const DeploymentToken = z.object({
  id: z.string(),
  name: z.string(),
  hint: z.string(),
  by: CommitAuthor.nullable(),
  time_created: z.string(),
  last_used: z.string().nullable(),
});
export type DeploymentToken = z.infer<typeof DeploymentToken>;

export const DeploymentTokenBody = z.object({ name: optionalText("Name", formText.shortTextMax).default("") });
export type DeploymentTokenBody = z.infer<typeof DeploymentTokenBody>;

/** Makes the address for other programs, or a new one. */
export const HookBody = z.object({
  /** Whether callers must sign the body with the secret. */
  signed: yesOrNo("signed").default(false),
  /** The field that gets the raw body. Left out: the body is JSON by field name. */
  field: z.string().max(60).optional(),
});
export type HookBody = z.infer<typeof HookBody>;

/** Shown once. */
export const HookMade = z.object({ address: z.string(), secret: z.string().nullable() });
export type HookMade = z.infer<typeof HookMade>;

/** A card of the gallery. */
export const AppCard = z.object({
  id: z.string(),
  name: z.string(),
  title: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  picture: z.string().nullable(),
  owner: CommitAuthor.nullable(),
  favourite: z.boolean(),
  /** When the caller last used it. */
  time_used: z.string().nullable(),
  /** The caller's newest call that has not ended. */
  alive_call: z.string().nullable(),
  paused_reason: z.string().nullable(),
});
export type AppCard = z.infer<typeof AppCard>;

export const AppPage = z.object({ apps: z.array(AppCard), next: z.string().nullable() });
export type AppPage = z.infer<typeof AppPage>;

/** The most frequent tags of the apps that somebody may use. */
export const AppTags = z.object({ tags: z.array(z.object({ tag: z.string(), apps: z.number() })) });
export type AppTags = z.infer<typeof AppTags>;

/** `show`: all by title, favourites by title, or those that the caller has used, newest first. */
export const AppsQuery = PageKeyQuery.omit({ after: true }).extend({
  after: z.string().max(formText.pageKeyMax).optional(),
  query: optionalText("query", formText.queryMax).optional(),
  tag: optionalText("tag", formText.tagMax).optional(),
  show: oneOf("show", ["all", "favourites", "recent"]).default("all"),
});
export type AppsQuery = z.infer<typeof AppsQuery>;

/** An app as those see it who may use it: no names of nodes, no owner's money. */
export const App = AppCard.extend({
  channel: Channel,
  release: z.number(),
  fields: z.array(ReleaseForm.shape.fields.element.omit({ wob_key: true, attribute: true })),
  outputs: z.array(ReleaseForm.shape.outputs.element.pick({ name: true, label: true })),
  /** The steps that callers follow, in the owner's words. */
  steps: z.array(z.string()),
  payer: DeploymentPayer,
  /** For those who may change the workflow: where its calls open in the Designer. */
  designer: z.object({ project_id: z.string(), graph_id: z.string() }).nullable(),
});
export type App = z.infer<typeof App>;

export const FavouriteBody = z.object({ favourite: yesOrNo("favourite") });
export type FavouriteBody = z.infer<typeof FavouriteBody>;

export const ChannelParams = z.object({ graphId: Id, channel: oneOf("Channel", channels) });
export type ChannelParams = z.infer<typeof ChannelParams>;

/** A deployment changed, or one of its channels was moved. Sent to its room. */
const DeploymentEvent = z.object({ deployment_id: z.string() });
export type DeploymentEvent = z.infer<typeof DeploymentEvent>;
