import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { address, password, type Person } from "./people.ts";

export interface CommandLine {
  /** An empty folder to work in. */
  folder: string;
  /** Runs `miranda` in the folder. Fails unless it ends with this code. */
  miranda(args: readonly string[], code?: number): Promise<string>;
  close(): Promise<void>;
}

const runtime = resolve(import.meta.dirname, "..", "..", "runtime");

/** The command `miranda` on a person's laptop, logged in to the product. */
export async function openCommandLine(person: Person): Promise<CommandLine> {
  const home = await mkdtemp(join(tmpdir(), "miranda-laptop-"));
  const folder = await mkdtemp(join(home, "work-"));

  async function miranda(args: readonly string[], code = 0, input = ""): Promise<string> {
    const child = spawn("python3", ["-m", "miranda_cli", ...args], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: home, XDG_CONFIG_HOME: home, PYTHONPATH: runtime },
      stdio: ["pipe", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    child.stdin.end(input);
    const ended = await new Promise<number | null>((done) => child.once("close", done));
    if (ended !== code) throw new Error(`miranda ${args.join(" ")} ended with ${ended}: ${output}`);
    return output;
  }

  await miranda(["login", address(""), "--username", person.username], 0, `${password}\n`);
  return { folder, miranda, close: () => rm(home, { recursive: true, force: true }) };
}
