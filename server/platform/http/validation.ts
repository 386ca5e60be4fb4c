import { isRecord } from "@miranda/contract/json.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";

import { AppError } from "../errors/app-error.ts";
import { mapInSlices } from "../time-slicing.ts";

/** Checks every part of a request against its schema, and refuses with readable words. */
export function installValidation(app: FastifyInstance): void {
  app.setValidatorCompiler<z.ZodType>(({ schema, httpPart }) => checking(schema, httpPart));
  // Answers are built by our own typed code; checking them again would cost more than making them.
  app.setSerializerCompiler(() => (value) => JSON.stringify(value));
}

function checking(schema: z.ZodType, httpPart: string | undefined) {
  return (data: unknown) => {
    const result = schema.safeParse(data ?? {});
    if (result.success) return { value: result.data };
    // An invalid id names nothing: answer as for a missing object.
    if (httpPart === "params") return { error: new AppError("not_found") };
    return { error: new AppError("bad_request", inWords(result.error)) };
  };
}

/**
 * For a body with thousands of parts, checked in slices so that other requests do not wait. `outline` is the schema
 * without the parts, `parts` the schema of the items of each list.
 */
export function checkedInSlices(outline: z.ZodType, parts: Readonly<Record<string, z.ZodType>>) {
  return {
    validatorCompiler({ schema, httpPart }: { schema: unknown; httpPart?: string }) {
      if (!(schema instanceof z.ZodType)) throw new Error(`The schema of a route's ${httpPart} is not one of zod.`);
      return checking(httpPart === "body" ? outline : schema, httpPart);
    },
    async preHandler(request: FastifyRequest): Promise<void> {
      const { body } = request;
      if (!isRecord(body)) return;
      for (const [name, schema] of Object.entries(parts)) {
        const list: readonly unknown[] = Array.isArray(body[name]) ? body[name] : [];
        body[name] = await mapInSlices(list, (part, at) => {
          const result = schema.safeParse(part);
          if (result.success) return result.data;
          throw new AppError("bad_request", inWords(result.error, [name, at]));
        });
      }
    },
  };
}

const sentencesMax = 5;

/** One sentence for each field: an empty name is missing, and need not be told that it is short too. */
function inWords(error: z.ZodError, within: readonly (string | number)[] = []): string {
  const sentences = new Map<string, string>();
  for (const issue of error.issues) {
    // A list of a million wrong values has a million issues.
    if (sentences.size >= sentencesMax) break;
    const place = [...within, ...issue.path].join(".");
    if (sentences.has(place)) continue;
    const written = !/^(Invalid input|Invalid option|Too |Unrecognized)/.test(issue.message);
    sentences.set(place, written ? issue.message : `${place || "The request"}: ${issue.message}.`);
  }
  return [...new Set(sentences.values())].join(" ");
}
