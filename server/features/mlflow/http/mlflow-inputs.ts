import { z } from "zod";

import { invalid } from "./mlflow-error.ts";

// Unknown fields are ignored, as MLflow does. Numbers may be sent as texts.

export const Text = z.string();
export const OptionalText = z.string().optional();
export const Int64 = z.union([
  z.number().int(),
  z
    .string()
    .regex(/^-?\d{1,19}$/)
    .transform(Number),
]);
/** In an address a list of one text is that text. */
export const Texts = z.union([z.array(z.string()), z.string().transform((text) => [text])]);
export const Pairs = z.array(z.object({ key: z.string(), value: z.string().default("") }));

const advice = "See the API docs for more information about request parameters.";

/** What a client sent, or its first mistake in MLflow's words. */
export function readInput<Schema extends z.ZodType>(schema: Schema, given: unknown): z.infer<Schema> {
  const result = schema.safeParse(given, { reportInput: true });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const name = issue?.path.join(".") || "request body";
  const value = issue?.input;
  if (value === undefined || value === null) throw invalid(`Missing value for required parameter '${name}'. ${advice}`);
  throw invalid(`Invalid value ${JSON.stringify(value).slice(0, 200)} for parameter '${name}' supplied. ${advice}`);
}
