import { messages } from "@miranda/contract/words/messages.ts";
import { nodeFile as limits } from "@miranda/contract/limits.ts";
import { AttributeParams } from "@miranda/contract/schemas/attributes.ts";
import { FileValue } from "@miranda/contract/schemas/files.ts";
import { MetadataId } from "@miranda/contract/schemas/forms.ts";
import { z } from "zod";

import { AppError } from "../../platform/errors/app-error.ts";
import { findFile, type UploadedFile } from "../../platform/http/bodies.ts";
import { callerOf } from "../../platform/http/caller.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { NodeFiles } from "./files-service.ts";

const tags = ["nodes"];

export function fileRoutes(app: Http, files: NodeFiles): void {
  app.post(
    "/api/v3/objects/:id/files",
    // Twice the limit of a file: a slightly larger one is refused with its own words.
    {
      bodyLimit: limits.sizeMax * 2,
      schema: { tags, params: z.object({ id: MetadataId }), response: { 200: FileValue } },
    },
    (request) => files.keep(callerOf(request), request.params.id, fileIn(request.body)),
  );

  app.get(
    "/api/v3/objects/:id/attributes/:name/file",
    { schema: { tags, params: AttributeParams } },
    async (request, reply) => {
      const { name, content } = await files.read(callerOf(request), request.params.id, request.params.name);
      // Never with its own type: an uploaded page must not run on this site.
      return reply
        .type("application/octet-stream")
        .header("content-disposition", `attachment; filename*=UTF-8''${encodeURIComponent(name)}`)
        .send(content);
    },
  );
}

function fileIn(form: unknown): UploadedFile {
  const file = findFile(form, "file");
  if (file?.filename === undefined) throw new AppError("bad_request", messages.noFile);
  return { filename: file.filename, mimetype: file.mimetype ?? "", data: file.data };
}
