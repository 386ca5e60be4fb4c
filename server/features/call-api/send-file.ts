import type { FastifyReply } from "fastify";

import type { OutputFile } from "./output-files.ts";

// Shown in a page of ours these cannot run anything. Everything else is only downloaded.
const shown = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Sends what node code or a caller wrote: always as a download, so that no page of it runs on this site. */
export function sendFile(reply: FastifyReply, { name, type, content }: OutputFile): FastifyReply {
  return reply
    .type(shown.has(type) || type.startsWith("text/csv") ? type : "application/octet-stream")
    .header("content-disposition", `attachment; filename*=UTF-8''${encodeURIComponent(name)}`)
    .send(content);
}
