import { infiniteQueryOptions, type QueryClient, queryOptions, useQueryClient } from "@tanstack/react-query";

import type { Call, CallPage } from "@miranda/contract/schemas/deployments/calls.ts";

import { refresh } from "../../limits.ts";
import { call, fetchAnswer } from "../http.ts";
import { type AppDoor, channelQuery, doorHeaders, doorKey, doorPath } from "./app-door.ts";

const keys = {
  lists: (door: AppDoor) => ["calls", "list", doorKey(door)],
  one: (door: AppDoor, id: string) => ["calls", "one", doorKey(door), id],
} as const;

export type CallListFilter = "" | "alive" | "done" | "bad";

/** The person's own calls of an app, newest first. */
export const myCallsQuery = (door: AppDoor, state: CallListFilter, size = 30) =>
  infiniteQueryOptions({
    queryKey: [...keys.lists(door), state, size],
    queryFn: ({ pageParam: after, signal }) => {
      const query = new URLSearchParams({
        limit: `${size}`,
        ...(state !== "" && { state }),
        ...(after !== "" && { after }),
      });
      return call<CallPage>(doorPath(door, `/runs?${query}`), { headers: doorHeaders(door), signal });
    },
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state: { data } }) => ((data?.pages.length ?? 0) <= 1 ? refresh.runs : false),
  });

/** One call. While it lives, its stream keeps it up to date. */
export const callQuery = (door: AppDoor, id: string) =>
  queryOptions({
    queryKey: keys.one(door, id),
    queryFn: ({ signal }) => call<Call>(callPath(door, id), { headers: doorHeaders(door), signal }),
    refetchInterval: false,
    retry: false,
    structuralSharing: (known, fetched) => newerCall(known as Call | undefined, fetched as Call),
  });

/** An answer may be older than what the stream has brought meanwhile: the end of the call would be forgotten. */
const newerCall = (known: Call | undefined, next: Call): Call =>
  known && known.revision > next.revision ? known : next;

/** A result that somebody shared. Everybody who has its address may see it. */
export const sharedQuery = (share: string) =>
  queryOptions({
    queryKey: ["calls", "shared", share],
    queryFn: ({ signal }) => call<Call>(sharedPath(share), { signal }),
    refetchInterval: false,
    retry: false,
  });

export const sharedPath = (share: string, part = "") => `/api/v3/shared/${encodeURIComponent(share)}${part}`;

export const callPath = (door: AppDoor, id: string, part = "") =>
  doorPath(door, `/runs/${encodeURIComponent(id)}${part}`);

/** Puts a newer state of a call into the cache. One that is not whole has no outputs: those that are known stay. */
export function putCall(client: QueryClient, door: AppDoor, next: Call, isWhole = true): void {
  client.setQueryData<Call>(keys.one(door, next.id), (known) => {
    const newer = newerCall(known, next);
    return newer === known || isWhole || !known || next.outputs.length > 0
      ? newer
      : { ...next, outputs: known.outputs };
  });
}

export function patchCall(client: QueryClient, door: AppDoor, id: string, change: (call: Call) => Call): void {
  client.setQueryData<Call>(keys.one(door, id), (known) => known && change(known));
}

interface Sending {
  inputs: Readonly<Record<string, unknown>>;
  /** The same key twice makes one call: an answer may be lost. */
  key: string;
  /** How much of the files has been sent, from 0 to 1. */
  onProgress?: ((share: number) => void) | undefined;
}

/** What a person can do with calls of an app. */
export function useCallActions(door: AppDoor) {
  const client = useQueryClient();
  const headers = doorHeaders(door);
  const change = async (id: string, part: string, method: "POST" | "DELETE", fields = {}) =>
    call<unknown>(callPath(door, id, part), { method, headers, ...(method === "POST" && { fields }) });
  const refetchLists = () => void client.invalidateQueries({ queryKey: keys.lists(door) });
  return {
    async send({ inputs, key, onProgress }: Sending): Promise<Call> {
      const made = await call<Call>(`${doorPath(door, "/runs")}${channelQuery(door)}`, {
        method: "POST",
        headers: { ...headers, "Idempotency-Key": key },
        body: bodyOf(inputs),
        onProgress,
      });
      putCall(client, door, made);
      refetchLists();
      return made;
    },

    async cancel(id: string): Promise<void> {
      putCall(client, door, (await change(id, "/cancel", "POST")) as Call);
      refetchLists();
    },

    async share(id: string): Promise<void> {
      const { share } = (await change(id, "/share", "POST")) as { share: string };
      patchCall(client, door, id, (known) => ({ ...known, shared: share }));
    },

    async stopSharing(id: string): Promise<void> {
      await change(id, "/share", "DELETE");
      patchCall(client, door, id, (known) => ({ ...known, shared: null }));
    },

    async report(id: string, message: string): Promise<void> {
      await change(id, "/report", "POST", { message });
      patchCall(client, door, id, (known) => ({ ...known, reported: true }));
    },
  };
}

/** JSON, or a form when there are files: its other parts are JSON texts or plain texts. */
export function bodyOf(inputs: Readonly<Record<string, unknown>>): { json: unknown } | { form: FormData } {
  const entries = Object.entries(inputs);
  if (!entries.some(([, value]) => value instanceof File)) return { json: inputs };
  const form = new FormData();
  for (const [name, value] of entries) {
    if (value instanceof File) form.append(name, value);
    else form.append(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  return { form };
}

/** A file that a plain link cannot fetch, because the way to it needs a header. */
export async function fetchFile(path: string, door: AppDoor): Promise<Blob> {
  return (await fetchAnswer(path, { headers: doorHeaders(door) })).blob();
}
