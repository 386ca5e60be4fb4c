import type { ServerEvents } from "@miranda/contract/events.ts";

/** Sends an event to everybody in a graph. Readers may get less of it. */
export type Publish = <Event extends keyof ServerEvents>(
  graphId: string,
  event: Event,
  payload: Parameters<ServerEvents[Event]>[0],
  forReaders?: Parameters<ServerEvents[Event]>[0],
) => void;
