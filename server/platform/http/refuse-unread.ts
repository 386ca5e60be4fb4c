import type { FastifyReply, FastifyRequest } from "fastify";

import { safely } from "../errors/safely.ts";

const lingerMs = 1_000;

/**
 * For a refusal before the body was read: answers at once, and cuts the connection when the rest of the body goes on
 * coming. Closing at once could take the answer away from a client that is still sending.
 */
export function refuseUnread(request: FastifyRequest, reply: FastifyReply, error: unknown): unknown {
  if (request.raw.complete || request.raw.destroyed) return error;
  const { socket } = request.raw;
  reply.raw.once(
    "finish",
    safely(() => {
      const timer = setTimeout(
        safely(() => socket.destroy()),
        lingerMs,
      );
      request.raw.once(
        "close",
        safely(() => clearTimeout(timer)),
      );
      request.raw.once(
        "end",
        safely(() => clearTimeout(timer)),
      );
      request.raw.resume();
    }),
  );
  return error;
}
