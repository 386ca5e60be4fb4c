import { z } from "zod";

import { node } from "../limits.ts";
import { FormBoolean, jsonLength, oneOf, optionalText, requiredText, yesOrNo } from "./forms.ts";

const directions = ["TRANSMITTER", "RECEIVER", "TRANSMITTER_FIELD", "RECEIVER_FIELD"] as const;
export const Direction = z.enum(directions);
export type Direction = z.infer<typeof Direction>;

/** How a field is edited on its node. */
export const Control = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.literal("text"), multiline: z.boolean().optional(), placeholder: z.string().optional() }),
    z.object({
      type: z.literal("number"),
      min: z.number().optional(),
      max: z.number().optional(),
      step: z.number().positive().optional(),
    }),
    z.object({
      type: z.literal("slider"),
      min: z.number(),
      max: z.number(),
      step: z.number().positive().optional(),
    }),
    z.object({ type: z.literal("select"), options: z.array(z.union([z.string(), z.number(), z.boolean()])) }),
    z.object({ type: z.literal("toggle") }),
    z.object({ type: z.literal("json") }),
    z.object({ type: z.literal("code"), language: z.string().optional() }),
    // Its value is a FileValue.
    z.object({ type: z.literal("file"), accept: z.string().optional() }),
    // Its value is hidden from readers.
    z.object({ type: z.literal("secret") }),
  ],
  "That is not a control we know.",
);
export type Control = z.infer<typeof Control>;

/** One test of another attribute. Keys other than these two fail the condition, so they are let through here. */
export const ShownWhenCondition = z.looseObject({ connected: z.boolean().optional(), value: z.unknown().optional() });
export type ShownWhenCondition = z.infer<typeof ShownWhenCondition>;

export const ShownWhen = z.record(z.string(), z.array(ShownWhenCondition));
export type ShownWhen = z.infer<typeof ShownWhen>;

export const Attribute = z.object({
  name: z.string(),
  /** Always in lower case. */
  kind: z.string(),
  direction: Direction,
  value: z.unknown(),
  /** The value that the code declares. `value` differs from it where the graph overrides it. */
  default: z.unknown().optional(),
  is_connected: z.boolean(),
  control: Control.nullable(),
  edge_text: z.string(),
  shown_when: ShownWhen.nullable(),
  /** A receiver that may stay empty without holding back its node. */
  optional: z.boolean().optional(),
});
export type Attribute = z.infer<typeof Attribute>;

export const NodeApi = z.object({
  compiled: z.boolean(),
  error: z.string().nullable(),
  disabled: z.boolean(),
  attributes: z.array(Attribute),
});
export type NodeApi = z.infer<typeof NodeApi>;

/** An attribute as a client may send it. Missing fields get the values of an unconnected, plain attribute. */
const AttributeInput = z.object({
  name: requiredText("Attribute name", node.attributeNameMax),
  kind: optionalText("Attribute kind", node.kindMax).toLowerCase().default(""),
  direction: oneOf("Direction", directions),
  value: z.unknown().default(null),
  default: z.unknown().optional(),
  is_connected: z.boolean().default(false),
  control: Control.nullable().default(null),
  edge_text: optionalText("Edge text", node.edgeTextMax)
    .nullish()
    .transform((text) => text ?? ""),
  shown_when: ShownWhen.nullable().default(null),
  optional: z.boolean().optional(),
});
export type AttributeInput = z.infer<typeof AttributeInput>;

/** Without attributes, the server reads them from the code. */
export const NodeApiInput = z
  .object(
    {
      compiled: z.boolean().optional(),
      error: z.string().nullable().optional(),
      disabled: FormBoolean.optional(),
      attributes: z
        .array(AttributeInput, "Attributes must be a list.")
        .max(node.attributesMax, `A node can have at most ${node.attributesMax} attributes.`)
        .optional(),
    },
    "The api must be an object.",
  )
  .refine((api) => jsonLength(api) <= node.apiMax, `The api can have at most ${node.apiMax} characters.`);
export type NodeApiInput = z.infer<typeof NodeApiInput>;

export const AttributeParams = z.object({ id: z.coerce.number().int().positive(), name: z.string().min(1) });
export type AttributeParams = z.infer<typeof AttributeParams>;

/** A new value, or unset=true to go back to the default in the code. */
export const PatchAttributeBody = z
  .object({ attribute_value: z.unknown().optional(), unset: yesOrNo("unset").default(false) })
  .refine(({ attribute_value, unset }) => unset || attribute_value !== undefined, "Send attribute_value or unset=true.")
  .refine(
    ({ attribute_value }) => jsonLength(attribute_value) <= node.attributeValueMax,
    `A value can have at most ${node.attributeValueMax} characters.`,
  );
export type PatchAttributeBody = z.infer<typeof PatchAttributeBody>;
