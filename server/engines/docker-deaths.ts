import { isRecord } from "@miranda/contract/json.ts";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type Docker from "dockerode";

import { safely } from "../platform/errors/safely.ts";
import { labels } from "./container.ts";

const again = 1_000;
/** A line of Docker's is a few kilobytes. */
const longestLine = 1 << 20;

/**
 * Calls back when a container of this installation has ended, as Docker reports it. Without an answer it asks again, also
 * for what happened meanwhile; the slow way, by silence, goes on beside it.
 */
export function watchDeaths(docker: Docker, installation: string) {
  return (onEnd: (jobId: string) => void): (() => void) => {
    const end = new AbortController();
    const filters = JSON.stringify({
      type: ["container"],
      event: ["die"],
      label: [`${labels.installation}=${installation}`],
    });
    let since = Math.floor(Date.now() / 1_000);

    async function read(): Promise<void> {
      const asked = Math.floor(Date.now() / 1_000);
      const events = await docker.getEvents({ filters, since });
      const stop = safely(() => {
        if (events instanceof Readable) events.destroy();
      });
      end.signal.addEventListener("abort", stop);
      try {
        if (end.signal.aborted) {
          stop();
          return;
        }
        let rest = "";
        for await (const chunk of events) {
          const lines = `${rest}${String(chunk)}`.split("\n");
          rest = (lines.pop() ?? "").slice(0, longestLine);
          for (const jobId of lines.map(jobOf)) if (jobId !== undefined) onEnd(jobId);
        }
      } finally {
        end.signal.removeEventListener("abort", stop);
        // What is reported twice is looked at twice.
        since = asked;
      }
    }

    void (async () => {
      while (!end.signal.aborted) {
        // Docker closes a quiet connection after a while, or it is away.
        await read().catch(() => undefined);
        await sleep(again, undefined, { ref: false, signal: end.signal }).catch(() => undefined);
      }
    })();
    return () => end.abort();
  };
}

function jobOf(line: string): string | undefined {
  try {
    const event: unknown = JSON.parse(line);
    const actor = isRecord(event) ? event["Actor"] : undefined;
    const attributes = isRecord(actor) ? actor["Attributes"] : undefined;
    const jobId = isRecord(attributes) ? attributes[labels.job] : undefined;
    return typeof jobId === "string" ? jobId : undefined;
  } catch {
    return undefined;
  }
}
