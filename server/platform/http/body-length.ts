import type { FastifyRequest } from "fastify";

import type { AppError } from "../errors/app-error.ts";
import { safely } from "../errors/safely.ts";

/** Rejects as soon as the body is longer than it may be: one without an announced length could go on for ever. */
export function watchLength(
  { raw }: FastifyRequest,
  most: number,
  refusal: () => AppError,
): { promise: Promise<never>; end: () => void } {
  const { promise, reject } = Promise.withResolvers<never>();
  // Perhaps nobody awaits it when it rejects: that must not end the process.
  promise.catch(() => undefined);
  let bytes = 0;
  const count = safely(
    (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes <= most) return;
      raw.off("data", count);
      raw.unpipe();
      raw.pause();
      reject(refusal());
    },
    (error) => reject(error),
  );
  raw.on("data", count);
  return { promise, end: () => raw.off("data", count) };
}

export function announcedLength({ headers }: FastifyRequest): number {
  return Number(headers["content-length"] ?? 0);
}
