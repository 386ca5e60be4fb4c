import type { LogEntry, LogsQuery } from "@miranda/contract/schemas/processors.ts";
import type { Call, CallStreamEvent } from "@miranda/contract/schemas/deployments/calls.ts";

import { callApi as limits } from "../../limits.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import { createOpenCounts } from "../../platform/limits/open-counts.ts";
import type { Calls } from "../calls/calls-service.ts";
import type { CallDetails } from "./call-api-queries.ts";
import type { CallApi, SeenCall, User } from "./call-api-service.ts";
import { toOutput, withoutPlace } from "./call-view.ts";
import { safely } from "../../platform/errors/safely.ts";

interface Dependencies {
  api: CallApi;
  calls: Pick<Calls, "changed">;
  readLog: (jobId: string, query: LogsQuery) => Promise<AsyncIterable<LogEntry[]>>;
}

/** Where a stream is: the last line of the log that was sent. */
interface Place {
  line: number;
}

export type CallStreams = ReturnType<typeof createCallStreams>;

interface StreamCaller {
  /** Who is counted. */
  caller: string;
  /** Nobody who is signed in. */
  isStranger: boolean;
  last: string | undefined;
  signal: AbortSignal;
}

/** Calls as server-sent events. */
export function createCallStreams({ api, calls, readLog }: Dependencies) {
  const take = createOpenCounts({
    perCaller: limits.streamsPerCaller,
    inAll: limits.streamsInAll,
    words: "You follow too many calls at once.",
    retrySeconds: limits.retrySeconds,
  });
  let isClosing = false;

  /** The lines of a call that were not sent yet: in parts, so that a long log is never in memory at once. */
  async function* lines(row: CallDetails, place: Place): AsyncGenerator<string> {
    if (row.job_id === null || row.first_line === null) return;
    const start = Math.max(row.first_line - 1, place.line);
    const isFirst = place.line === 0;
    const log = await readLog(row.job_id, {
      after: start,
      ...(row.last_line !== null && { before: row.last_line + 1 }),
      ...(isFirst && { log_lines: limits.lastLines }),
    });
    let waiting: string[] = [];
    for await (const entries of log)
      for (const { id, message } of entries) {
        const own = message.split("\n");
        waiting.push(...own);
        place.line = id + own.length - 1;
        if (waiting.length < limits.linesPerEvent) continue;
        yield written({ event: "log", data: { lines: waiting } }, place);
        waiting = [];
      }
    if (waiting.length > 0) yield written({ event: "log", data: { lines: waiting } }, place);
  }

  async function* follow(
    user: User,
    nameOrId: string,
    first: SeenCall,
    place: Place,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    let { row, viewer } = first;
    const { id } = row;
    let seen = await api.describe(row, viewer);
    let outputs = seen.outputs.reduce((most, { number }) => Math.max(most, number), 0);
    let counted = 0;
    let sentAt = Date.now();
    let known = factsOf(seen);
    yield written({ event: "call", data: seen }, place);
    const isOpen = (): boolean => row.ended_at === null && !isClosing && !signal.aborted;
    while (isOpen()) {
      if (viewer.mayRead)
        for await (const text of lines(row, place)) {
          sentAt = Date.now();
          yield text;
        }
      await calls.changed(id, limits.lookEveryMs);
      // Also checks that they may still see the call: otherwise the stream ends.
      ({ row, viewer } = await api.getCall(user, nameOrId, id));
      const count = await api.countOutputs(row);
      if (count !== counted)
        for (const output of await api.outputsAfter(row, outputs)) {
          const data = withoutPlace(toOutput(output));
          outputs = Math.max(outputs, data.number);
          sentAt = Date.now();
          yield written({ event: "output", data }, place);
        }
      counted = count;
      seen = await api.outline(row, viewer);
      const facts = factsOf(seen);
      if (facts !== known && row.ended_at === null) {
        sentAt = Date.now();
        yield written({ event: "call", data: seen }, place);
      }
      known = facts;
      if (Date.now() - sentAt < limits.heartbeatMs) continue;
      sentAt = Date.now();
      yield ": still here\n\n";
    }
    if (row.ended_at === null) return;
    if (viewer.mayRead) yield* lines(row, place);
    yield written({ event: "end", data: await api.describe(row, viewer) }, place);
  }

  return {
    /** The events of a call. Refuses at once who may not follow it. `last` is the id of the last event they got. */
    async open(
      user: User,
      nameOrId: string,
      id: string,
      { caller, isStranger, last, signal }: StreamCaller,
    ): Promise<AsyncGenerator<string>> {
      const first = await api.getCall(user, nameOrId, id);
      const end = take(caller, isStranger);
      // When the client leaves before the answer begins, the events are never read, and nothing in them runs.
      if (signal.aborted) end();
      else signal.addEventListener("abort", safely(end), { once: true });
      const line = /^\d{1,15}$/.test(last ?? "") ? Number(last) : 0;
      return (async function* () {
        try {
          yield* follow(user, nameOrId, first, { line }, signal);
        } catch (error) {
          // They may no longer see it. The answer has begun, so it can only end.
          if (!(error instanceof AppError)) throw error;
        } finally {
          end();
        }
      })();
    },

    /** Open streams would keep the server from stopping. Those who follow connect again. */
    close(): void {
      isClosing = true;
    },
  };
}

function written({ event, data }: CallStreamEvent, { line }: Place): string {
  return `id: ${line}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** What makes a new `call` event. */
function factsOf({ state, position, steps, reason }: Call): string {
  return JSON.stringify([state, position, steps, reason]);
}
