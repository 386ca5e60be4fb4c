import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface Product {
  url: string;
  /** Its data, with the embedded database. */
  folder: string;
  stop(): Promise<void>;
}

/** Starts the whole product as `npm start` does, with a temporary data folder. */
export async function startProduct(environment: Record<string, string> = {}): Promise<Product> {
  const folder = await mkdtemp(join(tmpdir(), "miranda-e2e-"));
  const own = { PORT: "0", HOST: "127.0.0.1", MIRANDA_DATA: folder, DATABASE_URL: "", LOG_LEVEL: "warn" };
  const server = spawn(process.execPath, ["server/main.ts"], {
    cwd: resolve(import.meta.dirname, "..", ".."),
    env: { ...process.env, ...own, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  server.stdout.on("data", (chunk) => (output += chunk));
  for (;;) {
    const url = /^Miranda is at (\S+)$/m.exec(output)?.[1];
    if (!url) {
      if (server.exitCode !== null) throw new Error(`The server did not start: ${output}`);
      await sleep(100);
      continue;
    }
    return {
      url,
      folder,
      async stop() {
        server.kill("SIGTERM");
        const [code] = (await once(server, "exit")) as [number | null];
        if (code !== 0) throw new Error(`The server did not stop in order: ${code}.`);
        await rm(folder, { recursive: true, force: true });
      },
    };
  }
}
