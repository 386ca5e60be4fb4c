import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "..", "..", "..");

export interface CommandResult {
  code: number | null;
  output: string;
}

/** A command of the operator, as `npm run` starts it, with these settings and no others. */
export function startCommand(name: string, settings: Record<string, string>, args: string[] = []) {
  const child = spawn(process.execPath, [`server/commands/${name}.ts`, ...args], {
    cwd: root,
    env: { PATH: process.env["PATH"], ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  const ended = once(child, "close").then(([code]): CommandResult => ({ code: code as number | null, output }));
  return { child, ended };
}

export function runCommand(
  name: string,
  settings: Record<string, string>,
  args: string[] = [],
): Promise<CommandResult> {
  return startCommand(name, settings, args).ended;
}
