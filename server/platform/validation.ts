import type { FastifyInstance } from "fastify";
import type { z } from "zod";

import { AppError } from "./app-error.ts";

/** Checks every part of a request against its schema and refuses with words instead of paths and codes. */
export function installValidation(app: FastifyInstance): void {
  app.setValidatorCompiler<z.ZodType>(({ schema, httpPart }) => (data) => {
    const result = schema.safeParse(data ?? {});
    if (result.success) return { value: result.data };
    // An address that cannot name anything names nothing.
    if (httpPart === "params") return { error: new AppError("not_found") };
    return { error: new AppError("bad_request", inWords(result.error)) };
  });
  // Answers are built by our own typed code; checking them again would cost more than making them.
  app.setSerializerCompiler(() => (value) => JSON.stringify(value));
}

function inWords(error: z.ZodError): string {
  const sentences = error.issues.slice(0, 5).map((issue) => {
    const written = !/^(Invalid input|Invalid option|Too |Unrecognized)/.test(issue.message);
    return written ? issue.message : `${issue.path.join(".") || "The request"}: ${issue.message}.`;
  });
  return [...new Set(sentences)].join(" ");
}
