import { z } from "zod";

import { webhook as limits } from "../../limits.ts";
import { formJson, Id, requiredText, yesOrNo } from "../forms.ts";

// What a project calls when something happened to its runs or models.

/**
 * `run_ended`: every run that ended, however. `run_failed`: those of them that failed, crashed or were lost. A webhook
 * that asks for both gets one call for a run, `run_ended`. `model_version`: a new version of a model. `model_alias`: an alias of
 * a model was set, moved or removed.
 */
const webhookEvents = ["run_ended", "run_failed", "budget_reached", "model_version", "model_alias"] as const;
export const WebhookEvent = z.enum(webhookEvents);
export type WebhookEvent = z.infer<typeof WebhookEvent>;

export const Webhook = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  enabled: z.boolean(),
  /** Why Miranda turned it off; empty when a person did. */
  disabled_reason: z.string(),
  /** Since when every call failed; null when the last one arrived. */
  failing_since: z.string().nullable(),
  time_created: z.string(),
});
export type Webhook = z.infer<typeof Webhook>;

export const WebhookList = z.array(Webhook);
export type WebhookList = z.infer<typeof WebhookList>;

/** The only answers that contain the secret: after it was made. */
export const WebhookWithSecret = Webhook.extend({ secret: z.string() });
export type WebhookWithSecret = z.infer<typeof WebhookWithSecret>;

const Url = requiredText("URL", limits.urlMax).refine(
  isWebAddress,
  "URL must begin with http:// or https:// and have no user name or password.",
);

/** As JSON text in a form, or as a list. */
const Events = formJson(
  z
    .array(z.enum(webhookEvents, `events must be ${webhookEvents.join(", ")}.`), "events must be a list.")
    .min(1, "Choose at least one event.")
    .transform((events) => webhookEvents.filter((event) => events.includes(event))),
  "events must be a list.",
);

export const CreateWebhookBody = z.object({ url: Url, events: Events });
export type CreateWebhookBody = z.infer<typeof CreateWebhookBody>;

export const PatchWebhookBody = z.object({
  url: Url.optional(),
  events: Events.optional(),
  enabled: yesOrNo("enabled").optional(),
});
export type PatchWebhookBody = z.infer<typeof PatchWebhookBody>;

/** One thing that the webhook is told, and how its last try went. */
export const WebhookCall = z.object({
  id: z.string(),
  event: z.string(),
  run_id: z.string().nullable(),
  tries: z.number(),
  state: z.enum(["waiting", "arrived", "given_up"]),
  /** Of the last answer; null when there was none. */
  status: z.number().nullable(),
  /** The beginning of the last answer, or why there was none. */
  answer: z.string(),
  seconds: z.number().nullable(),
  time_created: z.string(),
  time_answered: z.string().nullable(),
  time_next: z.string().nullable(),
});
export type WebhookCall = z.infer<typeof WebhookCall>;

export const WebhookCallList = z.array(WebhookCall);
export type WebhookCallList = z.infer<typeof WebhookCallList>;

export const WebhookParams = z.object({ projectId: Id, webhookId: Id });
export type WebhookParams = z.infer<typeof WebhookParams>;

function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  return ["http:", "https:"].includes(protocol) && hostname !== "" && username === "" && password === "";
}
