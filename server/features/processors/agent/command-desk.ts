import type { Heartbeat } from "@miranda/contract/protocol/agent.ts";
import { isAlive } from "@miranda/contract/processor.ts";
import { timingSafeEqual } from "node:crypto";

import { hashToken } from "../../../platform/crypto.ts";
import type { Db } from "../../../platform/database/database.ts";
import type { Notifications } from "../../../platform/database/pg-notifications.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import { createRunnerQueries } from "./agent-queries.ts";

export interface GivenCommand {
  number: number;
  [field: string]: unknown;
}

/** What is known of an agent that was given commands a moment ago. */
interface Place {
  tokenHash: Buffer;
  /** The last command that it was given. */
  after: number;
  /** True at the next change of the session. */
  changed: Promise<boolean>;
  isExpired: boolean;
  /** The command of that change, and the change after it. */
  given?: { command: GivenCommand; changed: Promise<boolean> };
}

export type CommandDesk = ReturnType<typeof createCommandDesk>;

/** An agent that comes later is looked up again: the database learns that it lives. */
const keptFor = 5_000;
const placesMost = 10_000;
const keyOf = (jobId: string): string => `job:${jobId}`;

/** Whether the token is the one of the session. */
export function isTokenOf(tokenHash: Buffer | null | undefined, token: string): tokenHash is Buffer {
  return tokenHash !== null && tokenHash !== undefined && timingSafeEqual(tokenHash, hashToken(token));
}

/**
 * Gives agents their commands. It remembers which command each was given last: as long as nothing has changed since, the
 * agent's next question waits without a look into the database, and the order of a call is handed over from memory. Every
 * other change makes the question a look, so the database still decides.
 */
export function createCommandDesk(db: Db, notifications: Pick<Notifications, "wake" | "wait" | "isClosed">) {
  const queries = createRunnerQueries(db);
  const places = new Map<string, Place>();
  const listen = (jobId: string): Promise<boolean> => notifications.wait(keyOf(jobId), keptFor);

  /** `changed` began to listen before the commands up to this one were read. */
  function keep(jobId: string, tokenHash: Buffer, after: number, changed: Promise<boolean>): void {
    const place: Place = { tokenHash, after, changed, isExpired: false };
    void changed.then((isWoken) => (place.isExpired ||= !isWoken));
    places.delete(jobId);
    const [oldest] = places.keys();
    if (oldest !== undefined && places.size >= placesMost) places.delete(oldest);
    places.set(jobId, place);
  }

  /** The next command of an agent that is known here. Undefined: look into the database. */
  async function next(jobId: string, token: string, { after, wait }: Heartbeat): Promise<GivenCommand | undefined> {
    const place = places.get(jobId);
    if (!place || place.isExpired || place.after !== after || wait * 1_000 < keptFor) return undefined;
    if (!isTokenOf(place.tokenHash, token)) return undefined;
    await place.changed;
    if (places.get(jobId) === place) places.delete(jobId);
    if (place.given?.command.number !== after + 1) return undefined;
    keep(jobId, place.tokenHash, after + 1, place.given.changed);
    return place.given.command;
  }

  return {
    /** The commands after the agent's last one. Waits until there is one. */
    async take(jobId: string, token: string, heartbeat: Heartbeat, isGone: () => boolean) {
      const { after, wait } = heartbeat;
      const until = Date.now() + wait * 1_000;
      const given = await next(jobId, token, heartbeat);
      if (given) return { commands: [given] };
      if (notifications.isClosed()) return { commands: [] };
      for (let isFirst = true; ; isFirst = false) {
        const changed = listen(jobId);
        const waiting = notifications.wait(keyOf(jobId), Math.max(1, until - Date.now()));
        const job = await queries.poll(jobId, after);
        // Unknown jobs and wrong tokens get the same words.
        if (!job || !isTokenOf(job.token_hash, token)) throw new AppError("runner_unknown");
        if (!isAlive(job.state)) throw new AppError("runner_ended");
        // Only its call shows that it lives, not that we wait.
        if (isFirst && job.is_silent) await queries.seen(jobId);
        const commands = job.commands.map(({ number, command }) => ({ ...command, number }));
        const last = commands.at(-1)?.number;
        if (last !== undefined) keep(jobId, job.token_hash, last, changed);
        if (last !== undefined || Date.now() >= until || isGone()) return { commands };
        await waiting;
        if (notifications.isClosed()) return { commands: [] };
      }
    },

    /** A command was stored. Everybody who adds one may also just wake the session: it costs a look. */
    deliver(jobId: string, command: GivenCommand): void {
      const place = places.get(jobId);
      const isFirst = place !== undefined && place.given === undefined;
      notifications.wake(keyOf(jobId));
      // After the wake, before anything else can happen: the next change is not missed, and this one not counted twice.
      if (isFirst) place.given = { command, changed: listen(jobId) };
    },
  };
}
