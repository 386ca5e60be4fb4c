import { spawn } from "node:child_process";
import { once } from "node:events";

/** Starts the benchmark's own file again as `bare`: the server that ours is compared with, in a separate process. */
export async function startBare(file: string, databaseUrl = ""): Promise<{ url: string; stop: () => Promise<void> }> {
  const child = spawn(process.execPath, [file, "bare", databaseUrl], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const chunk of child.stdout) {
    const url = /is at (\S+)/.exec(String(chunk))?.[1];
    if (!url) continue;
    const stop = async () => {
      child.kill("SIGTERM");
      await once(child, "exit");
    };
    return { url, stop };
  }
  throw new Error("The bare server did not start.");
}
