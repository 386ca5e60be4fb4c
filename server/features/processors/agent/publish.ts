import type { ServerEvents } from "@miranda/contract/events.ts";

import type { JobRow } from "../jobs/jobs-queries.ts";

/** Sends an event to everybody in a graph. Readers may get less of it, and nothing with null. */
export type Publish = <Event extends keyof ServerEvents>(
  graphId: string,
  event: Event,
  payload: Parameters<ServerEvents[Event]>[0],
  forReaders?: Parameters<ServerEvents[Event]>[0] | null,
) => void;

/** What readers of a workflow see of the sessions that serve its calls: states and counts. */
const forEverybody: ReadonlySet<string> = new Set(["status", "node_runs", "running_node", "run_ended", "interrupting"]);

/** Publishes what a session does. What the calls of others showed and printed is not for readers. */
export function publishOf(publish: Publish, { deployment_id }: Pick<JobRow, "deployment_id">): Publish {
  if (deployment_id === null) return publish;
  return (room, event, payload, forReaders = payload) =>
    publish(room, event, payload, forEverybody.has(event) ? forReaders : null);
}
