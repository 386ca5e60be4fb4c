import { z } from "zod";

import { type NumberKind, type NumberRange, numberWords } from "../number-rule.ts";

// Calls accept urlencoded, multipart and JSON bodies, so every value may also arrive as text.

export const Id = z.uuid("That is not a valid id.");
export type Id = z.infer<typeof Id>;

const notMetadataId = "That is not a valid metadata id.";
export const MetadataId = z.coerce.number(notMetadataId).int(notMetadataId).positive(notMetadataId);
export type MetadataId = z.infer<typeof MetadataId>;

/** The id in the path of a request. */
export const IdParams = z.object({ id: Id });
export type IdParams = z.infer<typeof IdParams>;

export const MetadataIdParams = z.object({ id: MetadataId });
export type MetadataIdParams = z.infer<typeof MetadataIdParams>;

/** The answer of a call that made something. */
const Created = z.object({ id: z.string() });
export type Created = z.infer<typeof Created>;

/** A number between two others, both included; a whole one when asked for. */
export function numberBetween(label: string, { min, max }: NumberRange, kind: NumberKind = "any") {
  const words = numberWords(label, { min, max }, kind);
  const number = z.number(words).min(min, words).max(max, words);
  return z
    .union([z.number(), z.string().trim().min(1).transform(Number)], words)
    .pipe(kind === "whole" ? number.int(words) : number);
}

const truths: Record<string, boolean> = { true: true, "1": true, on: true, false: false, "0": false, off: false };
export const FormBoolean = z
  .union([z.boolean(), z.literal(0), z.literal(1), z.enum(["true", "false", "1", "0", "on", "off"])])
  .transform((value) => truths[String(value)] === true);

/** A yes or no. The refusal names the field. */
export function yesOrNo(label: string) {
  return z
    .unknown()
    .refine((value) => FormBoolean.safeParse(value).success, `${label} must be true or false.`)
    .pipe(FormBoolean);
}

/** A value that a form sends as JSON text and a JSON body sends as itself. A text longer than `most` is not read. */
export function formJson<Schema extends z.ZodType>(schema: Schema, message = "Invalid JSON", most = Infinity) {
  return z
    .unknown()
    .transform((value, context): unknown => {
      if (typeof value !== "string") return value;
      if (value.length > most) {
        context.addIssue({ code: "custom", message: `This can have at most ${most} characters.` });
        return z.NEVER;
      }
      try {
        return JSON.parse(value);
      } catch {
        context.addIssue({ code: "custom", message });
        return z.NEVER;
      }
    })
    .pipe(schema);
}

/** The length of a value as JSON. Infinite for a value nested too deeply for JSON. */
export function jsonLength(value: unknown): number {
  try {
    return (JSON.stringify(value) ?? "").length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** An id that a form may send empty when nothing was chosen. */
export const OptionalId = z.union([z.literal("").transform(() => undefined), Id], "That is not a valid id.").optional();

/** One of a few words, in any case. */
export function oneOf<const Words extends readonly [string, ...string[]]>(label: string, words: Words) {
  const message = `${label} must be ${listed(words)}.`;
  const exact = new Map(words.map((word) => [word.toLowerCase(), word]));
  return z
    .string(message)
    .transform((text) => exact.get(text.trim().toLowerCase()) ?? text)
    .pipe(z.enum(words, message));
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

const storable = (text: string): boolean => !text.includes("\u0000");

/** Text a person must give: surrounding space is dropped, and what is left must not be empty. */
export function requiredText(label: string, max: number) {
  return z
    .string({ error: `${label} is required.` })
    .trim()
    .min(1, `${label} is required.`)
    .max(max, `${label} can have at most ${max} characters.`)
    .refine(storable, `${label} contains a character that cannot be stored.`);
}

export function optionalText(label: string, max: number) {
  return z
    .string({ error: `${label} must be text.` })
    .trim()
    .max(max, `${label} can have at most ${max} characters.`)
    .refine(storable, `${label} contains a character that cannot be stored.`);
}

/** Text that is kept unchanged, such as code: indentation and trailing newlines matter. */
export function exactText(label: string, max: number) {
  return z
    .string({ error: `${label} must be text.` })
    .max(max, `${label} can have at most ${max} characters.`)
    .refine(storable, `${label} contains a character that cannot be stored.`);
}
