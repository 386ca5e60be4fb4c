import { createHmac } from "node:crypto";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

import { webhookCalls as limits } from "../../limits.ts";
import { messageOf, systemCodeOf } from "../../platform/errors/error-details.ts";
import { version } from "../../platform/version.ts";
import { isWrittenPrivate, lookupPublic, PrivateAddress } from "../../platform/public-address.ts";
import { ignore, safely } from "../../platform/errors/safely.ts";

export interface SentCall {
  id: string;
  url: string;
  secret: string;
  event: string;
  body: string;
}

export interface CallAnswer {
  /** Null when there was no answer. */
  status: number | null;
  /** The beginning of the answer, or why there was none. */
  answer: string;
  seconds: number;
}

export interface SendSettings {
  /** Whether private addresses may be called too. */
  allowsPrivate: boolean;
  /** How long a call may take in all, in milliseconds. */
  timeout: number;
}

/** The hex HMAC-SHA256 of the time, a dot and the body. */
function signatureOf(secret: string, time: number, body: string): string {
  return createHmac("sha256", secret).update(`${time}.${body}`).digest("hex");
}

/** Sends one call. It never throws, follows no redirects, and ends within the timeout whatever the other side does. */
export async function sendCall(call: SentCall, settings: SendSettings, closing?: AbortSignal): Promise<CallAnswer> {
  const began = performance.now();
  const seconds = () => Math.round(performance.now() - began) / 1_000;
  try {
    const { status, answer } = await post(call, settings, closing);
    return { status, answer, seconds: seconds() };
  } catch (error) {
    return { status: null, answer: wordsOf(error, settings), seconds: seconds() };
  }
}

export function isArrived({ status }: Pick<CallAnswer, "status">): boolean {
  return status !== null && status >= 200 && status < 300;
}

function post({ id, url, secret, event, body }: SentCall, settings: SendSettings, closing?: AbortSignal) {
  const target = new URL(url);
  if (!settings.allowsPrivate && isWrittenPrivate(target.hostname)) throw new PrivateAddress();
  const time = Math.floor(Date.now() / 1_000);
  const send = target.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise<{ status: number; answer: string }>((resolve, reject) => {
    const outgoing = send(
      target,
      {
        method: "POST",
        // A connection that is kept could be used again after the name leads elsewhere.
        agent: false,
        signal: AbortSignal.any([AbortSignal.timeout(settings.timeout), ...(closing ? [closing] : [])]),
        ...(!settings.allowsPrivate && { lookup: lookupPublic }),
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          "user-agent": `Miranda/${version}`,
          "x-miranda-event": event,
          "x-miranda-delivery": id,
          "x-miranda-timestamp": String(time),
          "x-miranda-signature": `sha256=${signatureOf(secret, time, body)}`,
        },
      },
      safely(
        (incoming: IncomingMessage) => {
          // The status is there: what happens to the rest changes nothing.
          outgoing.off("error", reject).on("error", ignore);
          void readSome(incoming).then((text) => {
            outgoing.destroy();
            resolve({ status: incoming.statusCode ?? 0, answer: text });
          });
        },
        (error) => reject(error),
      ),
    );
    outgoing.on("error", reject);
    // Without this, Node closes the connection and says nothing: the call would never end.
    outgoing.on(
      "upgrade",
      safely(
        (incoming, connection) => {
          connection.destroy();
          resolve({ status: incoming.statusCode ?? 0, answer: "" });
        },
        (error) => reject(error),
      ),
    );
    outgoing.end(body);
  });
}

/** As much as is kept. A body that is long, slow or cut does no harm. */
async function readSome(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of incoming) {
      const data = Buffer.isBuffer(part) ? part : Buffer.from(String(part));
      if (bytes < limits.answerKept) parts.push(data);
      bytes += data.length;
      if (bytes >= limits.answerMax) break;
    }
  } catch {
    // What came until then is kept.
  }
  return readable(Buffer.concat(parts).subarray(0, limits.answerKept).toString("utf8"));
}

/** Bytes that are no text must not reach the database or the screen. */
function readable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is removed
  return text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, "\u{fffd}");
}

const causes: Record<string, string> = {
  ECONNREFUSED: "Nothing answers at that address.",
  ECONNRESET: "The connection was closed before an answer came.",
  EPIPE: "The connection was closed before an answer came.",
  ENOTFOUND: "There is no such host.",
  EAI_AGAIN: "The host name could not be looked up.",
  EHOSTUNREACH: "The host cannot be reached.",
  ENETUNREACH: "The host cannot be reached.",
  ETIMEDOUT: "The host cannot be reached.",
};

function wordsOf(error: unknown, { timeout }: SendSettings): string {
  if (error instanceof PrivateAddress) return "The address is private, so it was not called.";
  const isLate = error instanceof Error && (error.name === "AbortError" || error.name === "TimeoutError");
  if (isLate) return `No answer came within ${timeout / 1_000} seconds.`;
  return causes[systemCodeOf(error) ?? ""] ?? readable(messageOf(error)).slice(0, limits.answerKept);
}
