import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The whole product as `npm start` runs it, on a data folder that goes with the run. */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "miranda-e2e-"));
  const server = spawn(process.execPath, ["server/main.ts"], {
    cwd: resolve(import.meta.dirname, ".."),
    env: { ...process.env, PORT: "0", HOST: "127.0.0.1", MIRANDA_DATA: folder, DATABASE_URL: "", LOG_LEVEL: "warn" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  server.stdout.on("data", (chunk) => (output += chunk));
  for (;;) {
    const address = /^Miranda is at (\S+)$/m.exec(output)?.[1];
    if (address) {
      process.env["E2E_URL"] = address;
      break;
    }
    if (server.exitCode !== null) throw new Error(`The server did not start: ${output}`);
    await sleep(100);
  }
  return async () => {
    server.kill("SIGTERM");
    const [code] = (await once(server, "exit")) as [number | null];
    if (code !== 0) throw new Error(`The server did not stop in order: ${code}.`);
    await rm(folder, { recursive: true, force: true });
  };
}
