import type { FastifyReply } from "fastify";
import { Readable } from "node:stream";

import { jsonInSlices } from "../time-slicing.ts";

/** Sends what the type provider knows as a value as the parts of its JSON. */
export function sendParts(reply: FastifyReply, parts: readonly string[]): never {
  return reply.type("application/json; charset=utf-8").send(Readable.from(parts, { objectMode: false })) as never;
}

/** An answer that may be megabytes: nobody else waits while it is written. */
export async function sendInSlices<Answer extends object>(reply: FastifyReply, answer: Answer): Promise<Answer> {
  return sendParts(reply, await jsonInSlices(answer));
}
