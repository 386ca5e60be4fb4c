import { createSocket } from "node:dgram";
import { constants, open } from "node:fs/promises";
import { hostname } from "node:os";
import { connect } from "node:net";

import { safely } from "../../../platform/errors/safely.ts";
import type { AuditTarget } from "../../../platform/settings/audit-stream-settings.ts";

/** One record: its time, and itself as one line of JSON. */
export interface StreamLine {
  time: string;
  json: string;
}

/** Writes lines, all or none as far as the target lets us know. Rejects when it cannot. The signal gives it up. */
export type WriteLines = (lines: readonly StreamLine[], signal: AbortSignal) => Promise<void>;

export function createTarget(target: AuditTarget): WriteLines {
  if ("file" in target) return (lines) => appendTo(target.file, lines);
  const { host, port } = target;
  return target.protocol === "udp"
    ? (lines) => sendDatagrams(host, port, lines)
    : (lines, signal) => sendOverTcp(host, port, lines, signal);
}

// Opened for each batch, so that programs that rotate logs need not tell us. Without waiting: nobody may read a pipe.
const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

async function appendTo(path: string, lines: readonly StreamLine[]): Promise<void> {
  await using file = await open(path, flags, 0o600);
  const before = await file.stat();
  if (!before.isFile()) throw new Error(`${path} is no file.`);
  try {
    await file.appendFile(lines.map(({ json }) => `${json}\n`).join(""));
    await file.sync();
  } catch (error) {
    // On a full disk: half a line would spoil the next one.
    await file.truncate(before.size).catch(() => undefined);
    throw error;
  }
}

const closing = 2_000;
// Facility "log audit", severity "informational".
const priority = 13 * 8 + 6;

/** RFC 5424. */
function syslogMessage({ time, json }: StreamLine): Buffer {
  return Buffer.from(`<${priority}>1 ${time} ${hostname() || "-"} miranda ${process.pid} audit - ${json}`);
}

async function sendDatagrams(host: string, port: number, lines: readonly StreamLine[]): Promise<void> {
  const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
  const failed = new Promise<never>((_, reject) => {
    // For as long as there is the socket: an error that nobody hears would end the server.
    socket.on("error", reject);
  });
  failed.catch(() => undefined);
  try {
    for (const line of lines) {
      const sent = new Promise<void>((resolve, reject) => {
        socket.send(syslogMessage(line), port, host, (error) => (error ? reject(error) : resolve()));
      });
      await Promise.race([sent, failed]);
    }
  } finally {
    socket.close();
  }
}

/** With the length before each message (RFC 6587). Syslog acknowledges nothing: the other side has closed, or the system took it. */
function sendOverTcp(host: string, port: number, lines: readonly StreamLine[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal });
    socket.on("error", reject);
    socket.once(
      "close",
      safely(() => resolve()),
    );
    const giveUp = safely(() => socket.destroy());
    socket.once(
      "finish",
      safely(() => setTimeout(giveUp, closing).unref()),
    );
    // Whatever it answers is not for us.
    socket.resume();
    const parts = lines.flatMap((line) => {
      const message = syslogMessage(line);
      return [Buffer.from(`${message.length} `), message];
    });
    socket.end(Buffer.concat(parts));
  });
}
