import type { FastifyReply } from "fastify";
import { Readable } from "node:stream";

import { createTurns, jsonInSlices } from "../time-slicing.ts";

/** Sends an answer as parts of JSON, typed as a value for the type provider. */
export function sendParts(reply: FastifyReply, parts: readonly string[] | AsyncIterable<string>): never {
  const body = parts instanceof Readable ? parts : Readable.from(parts, { objectMode: false });
  return reply.type("application/json; charset=utf-8").send(body) as never;
}

/** The JSON of a list, one item after the other. Other requests are served between them. */
export async function* listParts(items: readonly unknown[]): AsyncGenerator<string> {
  const turns = createTurns();
  yield "[";
  for (const [at, item] of items.entries()) {
    await turns.next();
    yield (at === 0 ? "" : ",") + JSON.stringify(item);
  }
  yield "]";
}

/** For 304: the client has the answer. Typed as a value for the type provider. */
export function sendNothing(reply: FastifyReply): never {
  return reply.send() as never;
}

/** For an answer of megabytes: other requests are served while it is written. */
export async function sendInSlices<Answer extends object>(reply: FastifyReply, answer: Answer): Promise<Answer> {
  return sendParts(reply, await jsonInSlices(answer));
}
