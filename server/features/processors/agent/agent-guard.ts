import { runnerCall as limits } from "../../../limits.ts";
import { timingSafeEqual } from "node:crypto";

import { AppError } from "../../../platform/errors/app-error.ts";
import { hashToken } from "../../../platform/crypto.ts";

const rememberedMost = 10_000;

/**
 * Checks a job's token before anything of the call's body is read. Tokens that were right are remembered, so that an agent
 * costs one question to the database, not one a call: the call itself asks again whether the token is still right.
 */
export function createTokenCheck(authenticate: (jobId: string, token: string) => Promise<unknown>) {
  const remembered = new Map<string, Buffer>();

  return async (jobId: string, token: string): Promise<void> => {
    const hash = hashToken(token);
    const known = remembered.get(jobId);
    if (known && timingSafeEqual(known, hash)) return;
    await authenticate(jobId, token);
    const [oldest] = remembered.keys();
    if (oldest !== undefined && remembered.size >= rememberedMost) remembered.delete(oldest);
    remembered.set(jobId, hash);
  };
}

/** Lets one batch of a job in at a time: the next one's body is not read before the last is stored. */
export function createBatchQueue() {
  const waiting = new Map<string, (() => void)[]>();

  /** Resolves when it is this one's turn, with what ends the turn. */
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
