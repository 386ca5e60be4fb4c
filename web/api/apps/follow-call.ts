import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

import type { Call, CallOutput, CallStreamEvent } from "@miranda/contract/schemas/deployments/calls.ts";

import { callStream as limits } from "../../limits.ts";
import { logWarning } from "../../log.ts";
import { fetchAnswer, HttpError } from "../http.ts";
import { type AppDoor, doorHeaders, doorKey } from "./app-door.ts";
import { callPath, patchCall, putCall } from "./calls.ts";
import { createEventReader } from "./event-stream.ts";

/** Keeps a living call in the cache up to date, also after the connection was lost. */
export function useFollowedCall(door: AppDoor, call: Call | undefined): void {
  const client = useQueryClient();
  const [id, isAlive] = [call?.id, call !== undefined && call.time_ended === null];
  const key = doorKey(door);
  useEffect(() => {
    if (!isAlive || id === undefined) return;
    const stop = new AbortController();
    void follow(client, door, id, stop.signal);
    return () => stop.abort();
    // oxlint-disable-next-line react/exhaustive-deps -- `key` stands for the door, which is made anew at every render
  }, [client, key, id, isAlive]);
}

async function follow(client: QueryClient, door: AppDoor, id: string, signal: AbortSignal): Promise<void> {
  let last = "";
  let tries = 0;
  while (!signal.aborted) {
    try {
      const hasEnded = await readStream(door, id, last, signal, (event, eventId) => {
        tries = 0;
        if (eventId !== "") last = eventId;
        take(client, door, id, event);
      });
      if (hasEnded) return;
    } catch (cause) {
      if (signal.aborted) return;
      // The person may no longer see it: asking again changes nothing.
      if (cause instanceof HttpError && cause.status < 500 && cause.status !== 429) return;
      logWarning("The connection to a run was lost. It is made again.", cause);
    }
    await pause(Math.min(limits.retryMax, limits.retryAfter * 2 ** tries++), signal);
  }
}

/** Whether the call has ended. If it has not, the connection was lost. */
async function readStream(
  door: AppDoor,
  id: string,
  last: string,
  signal: AbortSignal,
  onEvent: (event: CallStreamEvent, id: string) => void,
): Promise<boolean> {
  const answer = await fetchAnswer(callPath(door, id, "/events"), {
    headers: { ...doorHeaders(door), accept: "text/event-stream", ...(last !== "" && { "Last-Event-ID": last }) },
    signal,
  });
  let hasEnded = false;
  const add = createEventReader((event) => {
    hasEnded ||= event.event === "end";
    onEvent({ event: event.event, data: JSON.parse(event.data) } as CallStreamEvent, event.id);
  });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) return hasEnded;
    add(part.value);
  }
}

function take(client: QueryClient, door: AppDoor, id: string, event: CallStreamEvent): void {
  switch (event.event) {
    case "call":
      return putCall(client, door, event.data, false);
    case "end":
      return putCall(client, door, event.data);
    case "output":
      return patchCall(client, door, id, (call) => ({ ...call, outputs: withOutput(call.outputs, event.data) }));
    case "log":
      return;
  }
}

function withOutput(outputs: readonly CallOutput[], next: CallOutput): CallOutput[] {
  return [...outputs.filter(({ number }) => number !== next.number), next].sort(
    (one, other) => one.number - other.number,
  );
}

/** Waits, but not longer than until the browser is online again. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    addEventListener("online", done);
    signal.addEventListener("abort", done);
  });
}
