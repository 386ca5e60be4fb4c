import type { CallVia } from "@miranda/contract/schemas/deployments/calls.ts";
import type { Channel } from "@miranda/contract/schemas/deployments/deployments.ts";

import { newId } from "../../platform/crypto.ts";
import { type Db, violatedUnique } from "../../platform/database/database.ts";
import type { Notifications } from "../../platform/database/pg-notifications.ts";
import { storableJson } from "../../platform/database/storable-json.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import { type Called, type CallRow, createCallQueries, type KeyOwner } from "./calls-queries.ts";
import { moveQueuedCalls } from "./queued-calls.ts";
import { safely } from "../../platform/errors/safely.ts";
import { trialEnded } from "../../platform/installation/trial-of.ts";

export type { CallRow };

/** A call that its caller may make: access and inputs are checked before. */
export interface NewCall {
  deployment: Called;
  release: { id: string };
  channel: Channel;
  via: CallVia;
  accountId: string | null;
  /** Of somebody without an account. */
  visitorHash: Buffer | null;
  tokenId: string | null;
  scheduleId: string | null;
  /** By field name, checked. */
  inputs: Record<string, unknown>;
  /** The hashes of the files among them. */
  files: readonly string[];
  idempotency?: { key: string; bodyHash: Buffer } | undefined;
}

interface Dependencies {
  db: Db;
  notifications: Pick<Notifications, "wake" | "wait" | "isClosed">;
  /** A call waits: some session has to take it. */
  onQueued: (deploymentId: string) => void;
  /** Interrupts the run of a call. */
  interrupt: (call: CallRow) => Promise<void>;
  /** Tells the people in the deployment's room. */
  announce: (call: CallRow) => void;
}

export type Calls = ReturnType<typeof createCalls>;

/** The longest wait for one notification. A lost notification delays its reader by at most this time. */
const longestWait = 5_000;
const shortWait = 1_000;
const longestRetry = 3_600;
const secondsUnknown = 10;

export const callKey = (id: string): string => `call:${id}`;
/** Woken only when the call has ended. */
export const callEndKey = (id: string): string => `call-end:${id}`;

/** Calls of deployments: made, found, waited for, ended. The dispatcher gives them to sessions. */
export function createCalls(deps: Dependencies) {
  const { db, notifications } = deps;
  const queries = createCallQueries(db);

  async function findRepeated(owner: KeyOwner, given: NonNullable<NewCall["idempotency"]>) {
    const earlier = await queries.findByKey(owner, given.key);
    if (earlier && !earlier.body_hash?.equals(given.bodyHash)) throw new AppError("call_key_reused");
    return earlier;
  }

  /** A visitor of a link has no account: the owner pays. */
  function payerOf({ payer, owner_id }: Called, accountId: string | null): string {
    if (owner_id === null) throw new AppError("deployment_ownerless");
    return payer === "caller" && accountId !== null ? accountId : owner_id;
  }

  async function refuse(deployment: Called, accountId: string | null): Promise<void> {
    if (deployment.paused) throw new AppError("deployment_paused");
    const payerId = payerOf(deployment, accountId);
    const isOwn = payerId === accountId;
    const facts = await queries.facts(deployment.id, payerId);
    const { alive, is_spent, credits, may_run, trial_over } = facts;
    if (credits === null) throw new AppError(isOwn ? "out_of_credits" : "deployment_ownerless");
    if (may_run === false) throw new AppError(isOwn ? "invalid_execution_token" : "call_unpaid");
    if (trial_over) throw isOwn ? await trialEnded(db) : new AppError("call_unpaid");
    if (credits <= 0) throw new AppError(isOwn ? "out_of_credits" : "call_unpaid");
    if (facts.is_account_spent) throw new AppError(isOwn ? "month_budget_reached" : "call_unpaid");
    if (facts.is_project_spent) throw new AppError("call_month_used");
    if (is_spent) throw new AppError("call_budget_used", undefined, secondsUntilTomorrow());
    // Several callers at once may all see the last place. There are never more of them than connections to the database.
    if (alive >= deployment.at_once + deployment.queue_max) {
      const seconds = (await queries.recentSeconds(deployment.id)) ?? secondsUnknown;
      const wait = Math.ceil((seconds * Math.max(1, deployment.queue_max)) / deployment.at_once);
      throw new AppError("call_queue_full", undefined, Math.min(longestRetry, Math.max(1, wait)));
    }
  }

  return {
    find: queries.find,
    findAll: queries.findAll,
    positions: queries.positions,

    /** Refuses what `make` would refuse, before the files of the call are stored. A repeated key passes. */
    async admit(deployment: Called, caller: Omit<KeyOwner, "deploymentId">, key: string | undefined): Promise<void> {
      const isRepeated =
        key !== undefined && (await queries.findByKey({ ...caller, deploymentId: deployment.id }, key)) !== undefined;
      if (!isRepeated) await refuse(deployment, caller.accountId);
    },

    /** Accepts a call. A repeated key is answered with the earlier call, whatever the queue and the budget say. */
    async make(given: NewCall): Promise<CallRow> {
      const { deployment, accountId, visitorHash, idempotency } = given;
      const owner = { deploymentId: deployment.id, accountId, visitorHash };
      const earlier = idempotency && (await findRepeated(owner, idempotency));
      if (earlier) return earlier;
      await refuse(deployment, accountId);
      const row = {
        id: newId(),
        deployment_id: deployment.id,
        release_id: given.release.id,
        channel: given.channel,
        via: given.via,
        account_id: accountId,
        visitor_hash: visitorHash,
        token_id: given.tokenId,
        schedule_id: given.scheduleId,
        payer_id: payerOf(deployment, accountId),
        inputs: storableJson(given.inputs),
        idempotency_key: idempotency?.key ?? null,
        body_hash: idempotency?.bodyHash ?? null,
      };
      if (idempotency) await queries.forgetKey(owner, idempotency.key);
      try {
        const { made, servedId } = await queries.insert(row, given.files);
        // The channel moved while the values were sent.
        if (servedId !== made.release_id) await moveQueuedCalls(db, deployment.id, given.channel);
        deps.onQueued(deployment.id);
        deps.announce(made);
        return made;
      } catch (error) {
        // The same key, sent twice at once.
        const twin =
          idempotency && violatedUnique(error) === "calls_idempotency" && (await findRepeated(owner, idempotency));
        if (!twin) throw error;
        return twin;
      }
    },

    /** Ends a call. One that has ended stays as it is. */
    async cancel(id: string): Promise<CallRow | undefined> {
      const left = await queries.cancelQueued(id);
      if (left) {
        deps.announce(left);
        notifications.wake(callKey(id));
        notifications.wake(callEndKey(id));
        return left;
      }
      const running = await queries.markCancelled(id);
      if (running) await deps.interrupt(running);
      return queries.find(id);
    },

    /** Resolves at the next change of a call, or after this time. */
    async changed(id: string, timeoutMs: number): Promise<void> {
      await notifications.wait(callKey(id), Math.min(timeoutMs, longestWait));
    },

    /** Waits until a call that was made just now has ended, the time is over, or nobody waits any more. */
    async ended(id: string, timeoutMs: number, signal?: AbortSignal): Promise<void> {
      const until = Date.now() + timeoutMs;
      const leaving = signal && aborted(signal);
      for (let patience = shortWait; ; patience = longestWait) {
        const left = until - Date.now();
        if (left <= 0 || signal?.aborted || notifications.isClosed()) return;
        // Before it is read: a change in between must not be missed. Most calls have ended before it would be read once.
        const ending = notifications.wait(callEndKey(id), Math.min(left, patience));
        if (patience !== shortWait && (await queries.find(id))?.ended_at !== null) return;
        if (await (leaving ? Promise.race([ending, leaving]) : ending)) return;
      }
    },
  };
}

function aborted(signal: AbortSignal): Promise<false> {
  return new Promise((resolve) =>
    signal.addEventListener(
      "abort",
      safely(() => resolve(false)),
      { once: true },
    ),
  );
}

/** Days begin at midnight by the clock of the database, which is in UTC like ours. */
function secondsUntilTomorrow(): number {
  const now = new Date();
  const tomorrow = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
  return Math.max(1, Math.ceil((tomorrow - now.getTime()) / 1_000));
}
