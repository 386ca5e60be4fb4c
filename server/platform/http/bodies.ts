import multipart from "@fastify/multipart";
import { isRecord } from "@miranda/contract/json.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";

import { AppError } from "../errors/app-error.ts";
import { systemCodeOf } from "../errors/error-details.ts";
import { announcedLength, watchLength } from "./body-length.ts";
import { decodeForm, formFieldsMax } from "./form-decoding.ts";
import { refuseUnread } from "./refuse-unread.ts";

/** A file of a multipart form, not checked yet. */
export interface UploadedFile {
  filename: string;
  mimetype: string;
  data: Buffer;
}

/** The file in a field of a form. It may have no name. Undefined when the field is missing or is no file. */
export function findFile(form: unknown, field: string): (Partial<UploadedFile> & { data: Buffer }) | undefined {
  const file = isRecord(form) ? form[field] : undefined;
  if (!isRecord(file) || !Buffer.isBuffer(file["data"])) return undefined;
  const { filename, mimetype, data } = file;
  return {
    data,
    ...(typeof filename === "string" && { filename }),
    ...(typeof mimetype === "string" && { mimetype }),
  };
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route reads multipart bodies itself, part by part. */
    readsParts?: boolean;
  }
}

/** Every call accepts urlencoded, multipart and JSON bodies. The route gets one plain object. */
export async function installBodies(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers();
  const parseJson = app.getDefaultJsonParser("error", "error");

  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, text: string, done) => {
    if (text === "") return done(null, {});
    void parseJson(request, text, (error, value) =>
      error ? done(new AppError("invalid_body", "The body is not valid JSON.")) : done(null, value),
    );
  });

  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "buffer" },
    (_request: FastifyRequest, body: Buffer) => decodeForm(body),
  );

  // A call without a body may still be sent with a type, or with none: both are an empty form.
  app.addContentTypeParser("*", { parseAs: "string" }, (request, text, done) => {
    if (text === "") return done(null, {});
    done(
      new AppError(
        "unsupported_body",
        `Send a form or JSON, not ${request.headers["content-type"] ?? "an unnamed type"}.`,
      ),
    );
  });

  await app.register(multipart, { limits: { fields: formFieldsMax, files: 1 } });
  app.addHook("preValidation", async (request, reply) => {
    if (!request.isMultipart() || request.routeOptions.config.readsParts) return;
    try {
      request.body = await readMultipart(request);
    } catch (error) {
      throw refuseUnread(request, reply, error);
    }
  });
}

/** The limit of the route is for all parts together: the plugin keeps every one, also those of the same name. */
async function readMultipart(request: FastifyRequest): Promise<Record<string, unknown>> {
  const most = request.routeOptions.bodyLimit;
  if (announcedLength(request) > most) throw tooLarge();
  const form: Record<string, unknown> = {};
  const length = watchLength(request, most, tooLarge);
  const parts = request.parts({ limits: { fileSize: most, fieldSize: most } });
  try {
    for (;;) {
      const next = await Promise.race([parts.next(), length.promise]);
      if (next.done) break;
      const part = next.value;
      if (part.type === "field") {
        if (part.valueTruncated) throw tooLarge();
        form[part.fieldname] = part.value;
      } else {
        form[part.fieldname] = {
          filename: part.filename,
          mimetype: part.mimetype,
          data: await Promise.race([part.toBuffer(), length.promise]),
        } satisfies UploadedFile;
      }
    }
  } catch (error) {
    if (error instanceof AppError || systemCodeOf(error)?.startsWith("FST_")) throw error;
    throw new AppError("invalid_body", "The body is not a valid multipart form.");
  } finally {
    length.end();
  }
  return form;
}

const tooLarge = (): AppError => new AppError("body_too_large");
