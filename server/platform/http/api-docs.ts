import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";
import { jsonSchemaTransform } from "fastify-type-provider-zod";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The page's own files. Said to it: in the bundle of the server it does not know where they are. */
const files = join(dirname(createRequire(import.meta.url).resolve("@fastify/swagger-ui")), "static");

/** The OpenAPI document at /api/docs/json and its page at /api/docs. */
export async function installApiDocs(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      info: {
        title: "Miranda",
        version,
        description:
          "Every call accepts urlencoded forms, multipart forms and JSON. Refusals are plain text, to be shown as they are. " +
          "The header `x-miranda-error` has the code of a refusal, for programs. " +
          "Sign in for a session cookie, or send an access token as `Authorization: Bearer`.",
      },
      components: {
        securitySchemes: {
          session: { type: "apiKey", in: "cookie", name: "miranda_session" },
          token: { type: "http", scheme: "bearer" },
        },
      },
      security: [{ session: [] }, { token: [] }],
    },
    transform: jsonSchemaTransform,
  });
  await app.register(swaggerUi, {
    ...{ routePrefix: "/api/docs", uiConfig: { docExpansion: "list", deepLinking: true } },
    baseDir: files,
    logo: { type: "image/svg+xml", content: await readFile(join(files, "logo.svg")) },
  });
}
