import { z } from "zod";

import { deployment as limits } from "../../limits.ts";
import { Control } from "../attributes.ts";
import { optionalText, requiredText } from "../forms.ts";

// What a release asks its callers for, and what it shows them.

/** The name of a field or an output in calls. */
const FieldName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,59}$/, "A name has small letters, digits and _, and begins with a letter.");

/** One field of a node that callers are asked for. The list of a release is in the order of its form. */
export const ReleaseField = z.object({
  name: FieldName,
  /** The node and the attribute that get the value. */
  wob_key: z.number().int().positive(),
  attribute: z.string().min(1).max(200),
  label: requiredText("Label", limits.labelMax),
  help: optionalText("Help", limits.helpMax).default(""),
  kind: z.string().max(100),
  /** Null: a text of one line. Its own limits are those of the node; `min` and `max` are tighter. */
  control: Control.nullable(),
  required: z.boolean().default(false),
  /** What the form begins with, and what a call without this field uses. */
  default: z.unknown(),
  /** Of a number: the least and the most. Of a text: the fewest and most characters. Of a file: the most bytes in `max`. */
  min: z.number().nullable().default(null),
  max: z.number().nullable().default(null),
});
export type ReleaseField = z.infer<typeof ReleaseField>;

/** What callers see: everything that a node shows, or the last value that one of its transmitters sent. */
export const ReleaseOutput = z.object({
  name: FieldName,
  wob_key: z.number().int().positive(),
  /** Null: what the node shows. */
  transmitter: z.string().min(1).max(200).nullable().default(null),
  label: requiredText("Label", limits.labelMax),
});
export type ReleaseOutput = z.infer<typeof ReleaseOutput>;

/** The words for a step that callers follow. A node without one is not named. */
const ReleaseStep = z.object({
  wob_key: z.number().int().positive(),
  label: requiredText("Label", limits.labelMax),
});

const unique = (given: readonly { name: string }[]): boolean =>
  new Set(given.map(({ name }) => name)).size === given.length;

export const ReleaseForm = z.object({
  fields: z
    .array(ReleaseField)
    .max(limits.fieldsMax, `A form can have at most ${limits.fieldsMax} fields.`)
    .refine(unique, "Two fields have the same name."),
  outputs: z
    .array(ReleaseOutput)
    .max(limits.outputsMax, `At most ${limits.outputsMax} outputs can be shown.`)
    .refine(unique, "Two outputs have the same name."),
  steps: z.array(ReleaseStep).max(limits.stepsMax).default([]),
});
export type ReleaseForm = z.infer<typeof ReleaseForm>;
