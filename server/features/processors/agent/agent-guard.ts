import { runnerCall as limits } from "../../../limits.ts";
import { Id } from "@miranda/contract/schemas/forms.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { timingSafeEqual } from "node:crypto";
import { z } from "zod";

import { AppError } from "../../../platform/errors/app-error.ts";
import { hashToken } from "../../../platform/crypto.ts";
import { serverBusy } from "../../../platform/limits/overload.ts";

const params = z.object({ jobId: Id });
const rememberedMost = 10_000;
/** Those that nobody knows share few connections to the database: however many strangers come, others keep the rest. */
const lookUpsAtOnce = 4;
const lookUpsWaiting = 2_000;

/**
 * Checks a job's token before reading the body. Valid tokens are cached, so that an agent costs one query, not one per
 * call. The call itself checks again whether the token is still valid.
 */
export function createTokenCheck(authenticate: (jobId: string, token: string) => Promise<unknown>) {
  const remembered = new Map<string, Buffer>();
  const waiting: (() => void)[] = [];
  let running = 0;

  async function inTurn(work: () => Promise<unknown>): Promise<void> {
    if (waiting.length >= lookUpsWaiting) throw serverBusy();
    if (running >= lookUpsAtOnce) await new Promise<void>((resolve) => void waiting.push(resolve));
    else running += 1;
    try {
      await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  }

  return async (jobId: string, token: string): Promise<void> => {
    const hash = hashToken(token);
    const known = remembered.get(jobId);
    if (known && timingSafeEqual(known, hash)) return;
    await inTurn(() => authenticate(jobId, token));
    const [oldest] = remembered.keys();
    if (oldest !== undefined && remembered.size >= rememberedMost) remembered.delete(oldest);
    remembered.set(jobId, hash);
  };
}

/** Lets in one batch of a job at a time: the next body is not read before the last batch is stored. */
export function createBatchQueue() {
  const waiting = new Map<string, (() => void)[]>();

  /** Resolves when the batch may start, with a function that ends it. */
  return async (jobId: string): Promise<() => void> => {
    const others = waiting.get(jobId);
    if (!others) waiting.set(jobId, []);
    else if (others.length >= limits.waitingMax) throw new AppError("runner_busy");
    else await new Promise<void>((resolve) => void others.push(resolve));
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      const next = waiting.get(jobId)?.shift();
      if (next) next();
      else waiting.delete(jobId);
    };
  };
}

/**
 * Closes the connection after a refusal before the body was read. Otherwise the whole body would be read to find the
 * next request.
 */
export async function closingAtRefusal<Answer>(reply: FastifyReply, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    void reply.header("connection", "close");
    throw error;
  }
}

export function jobOf({ params: given }: FastifyRequest): string {
  const parsed = params.safeParse(given);
  if (!parsed.success) throw new AppError("runner_unknown");
  return parsed.data.jobId;
}

export function tokenOf(headers: { authorization?: string | undefined }): string {
  const token = /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1];
  if (!token) throw new AppError("runner_unknown");
  return token;
}
