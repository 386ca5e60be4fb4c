import type { LogEntry } from "@miranda/contract/schemas/processors.ts";

import { inSlices } from "../../../platform/time-slicing.ts";

/** A log as the parts of a JSON list. Other requests are served between them. */
export async function* logText(log: AsyncIterable<LogEntry[]>): AsyncGenerator<string> {
  let comma = "";
  yield "[";
  for await (const entries of log)
    for await (const texts of inSlices(entries, (entry) => JSON.stringify(entry))) {
      yield comma + texts.join(",");
      comma = ",";
    }
  yield "]";
}

/** A job with its log, as the parts of a JSON text. */
export async function* jobText(summary: object, log: AsyncIterable<LogEntry[]>): AsyncGenerator<string> {
  yield `${JSON.stringify(summary).slice(0, -1)},"logs":`;
  yield* logText(log);
  yield "}";
}
