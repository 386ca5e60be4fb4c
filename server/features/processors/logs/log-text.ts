import type { LogEntry } from "@miranda/contract/schemas/processors.ts";

import { logParts } from "../../../platform/http/log-parts.ts";

/** A job with its log, as the parts of a JSON text. */
export async function* jobText(summary: object, log: AsyncIterable<LogEntry[]>): AsyncGenerator<string> {
  yield `${JSON.stringify(summary).slice(0, -1)},"logs":`;
  yield* logParts(log);
  yield "}";
}
