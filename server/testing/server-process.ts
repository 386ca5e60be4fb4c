import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";

import { ownSessionUsers } from "./session-users.ts";

export interface ServerProcess {
  url: string;
  pid: number;
  /** Everything it wrote. */
  output(): string;
  kill(signal: NodeJS.Signals): Promise<void>;
}

const root = resolve(import.meta.dirname, "..", "..");

/** The server as its own process, so that it can be killed, stopped and started again. */
export async function startServerProcess(
  environment: Record<string, string> & { MIRANDA_DATA: string },
): Promise<ServerProcess> {
  const child: ChildProcess = spawn(process.execPath, ["server/main.ts"], {
    cwd: root,
    env: {
      ...process.env,
      PORT: "0",
      MIRANDA_DEV: "1",
      LOG_LEVEL: "error",
      // As `npm start` sets them.
      ...{ MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "131072", MALLOC_TRIM_THRESHOLD_: "131072" },
      MIRANDA_SESSION_UIDS: `${ownSessionUsers.first}-${ownSessionUsers.last}`,
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error("no output");
  let output = "";
  stdout.on("data", (chunk) => (output += chunk));
  // The log. Shown as well: it says why a server did not start.
  stderr.on("data", (chunk) => {
    output += chunk;
    process.stderr.write(chunk);
  });
  const lines = createInterface({ input: stdout });
  for await (const line of lines) {
    const url = /^Miranda is at (\S+)/.exec(line)?.[1];
    if (!url || child.pid === undefined) continue;
    stdout.resume();
    return {
      url,
      pid: child.pid,
      output: () => output,
      async kill(signal) {
        child.kill(signal);
        await exited;
      },
    };
  }
  throw new Error("The server ended before it was ready.");
}
