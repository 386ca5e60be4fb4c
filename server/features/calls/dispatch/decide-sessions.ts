import { errors } from "@miranda/contract/errors.ts";

import { callDispatch as limits } from "../../../limits.ts";
import type { Fleet } from "./dispatch-queries.ts";

export interface Decision {
  /** Sessions to start, by release. */
  start: string[];
  stop: { id: string; reason: string }[];
  /** Releases whose waiting calls nobody will serve. */
  give_up: { releaseId: string; reason: string }[];
  /** Sessions that should load their release before the first call. */
  warm_up: string[];
}

const words = {
  released: "Ended: another release is served now.",
  paused: "Ended: the app is paused.",
  taken: "Ended: somebody else pays for the app now.",
  spent: "Ended: what the app may cost is used up.",
  room: "Ended: calls of another release wait.",
  idle: (minutes: number) => `Ended after ${minutes} ${minutes === 1 ? "minute" : "minutes"} without a call.`,
  unpaid: "The owner of this app cannot pay for it at the moment.",
  unstartable: "This app could not be started. Its owner can find the reason in the log of the processor.",
} as const;

type Session = Fleet["sessions"][number];

/** Which sessions a deployment needs. Nothing that runs is ended. */
export function decideSessions(fleet: Fleet): Decision {
  const { deployment } = fleet;
  const refusal = !deployment.is_owned
    ? errors.deployment_ownerless
    : deployment.is_spent
      ? errors[deployment.is_month_spent ? "call_month_used" : "call_budget_used"]
      : undefined;
  const queued = refusal === undefined ? fleet.queued : [];
  const decision: Decision = { start: [], stop: [], give_up: [], warm_up: [] };
  const living = fleet.sessions.filter(({ state }) => state !== "KILLING");
  const waiting = new Map(queued.map(({ release_id, count }) => [release_id, count]));
  const isOf = (releaseId: string | null) => (session: Session) => session.release_id === releaseId;
  const isFree = ({ state }: Session): boolean => state !== "RUNNING" && state !== "RESUMEREADY";
  const stop = (session: Session, reason: string): void => {
    decision.stop.push({ id: session.id, reason });
    living.splice(living.indexOf(session), 1);
  };
  if (refusal !== undefined)
    for (const { release_id } of fleet.queued) decision.give_up.push({ releaseId: release_id, reason: refusal });
  const servesWarm = !deployment.paused && refusal === undefined && deployment.production_id !== null;
  const warm = servesWarm ? Math.min(deployment.warm, deployment.at_once) : 0;

  for (const session of living.filter(isFree)) {
    const isTaken = session.account_id !== deployment.owner_id || session.purse_id !== deployment.purse_id;
    if (deployment.owner_id !== null && isTaken) {
      stop(session, words.taken);
      continue;
    }
    if (waiting.has(session.release_id)) continue;
    const isServed = session.release_id === deployment.production_id || session.release_id === deployment.staging_id;
    const others = living.filter(isOf(session.release_id)).length;
    const isKept = session.release_id === deployment.production_id && others <= warm;
    if (!isServed) stop(session, words.released);
    else if (deployment.paused || !deployment.is_owned) stop(session, words.paused);
    else if (deployment.is_spent) stop(session, words.spent);
    else if (!isKept && session.state === "READY" && session.idle > deployment.idle_minutes * 60)
      stop(session, words.idle(deployment.idle_minutes));
  }

  for (const { release_id, count, waited } of queued) {
    const own = living.filter(isOf(release_id));
    const failed = fleet.failures.find((one) => one.release_id === release_id);
    const hasFailed = failed !== undefined && failed.count >= limits.failuresMax && failed.ago < waited;
    if (own.length === 0 && (hasFailed || !fleet.can_pay)) {
      decision.give_up.push({ releaseId: release_id, reason: hasFailed ? words.unstartable : words.unpaid });
      continue;
    }
    if (!fleet.can_pay || isTooSoon(failed)) continue;
    const missing = count - own.filter(isFree).length;
    // A session of another release that nobody waits for makes room.
    const idle = living.find((one) => isFree(one) && one.state === "READY" && !waiting.has(one.release_id));
    if (missing > 0 && own.length === 0 && living.length >= deployment.at_once && idle) stop(idle, words.room);
    const room = deployment.at_once - living.length - decision.start.length;
    for (let more = Math.min(missing, room); more > 0; more -= 1) decision.start.push(release_id);
  }

  const { production_id: production } = deployment;
  if (production !== null && fleet.can_pay && !isTooSoon(fleet.failures.find((one) => one.release_id === production))) {
    const started = decision.start.filter((id) => id === production).length;
    const room = deployment.at_once - living.length - decision.start.length;
    const missing = warm - living.filter(isOf(production)).length - started;
    for (let more = Math.min(missing, room); more > 0; more -= 1) decision.start.push(production);
  }
  decision.warm_up = living
    .filter(({ state, runs, release_id }) => state === "READY" && runs === 0 && !waiting.has(release_id))
    .map(({ id }) => id);
  return decision;
}

/** After each failure it takes twice as long until the next try. */
function isTooSoon(failed: Fleet["failures"][number] | undefined): boolean {
  return failed !== undefined && failed.ago * 1_000 < Math.min(limits.retryMax, 500 * 2 ** failed.count);
}
