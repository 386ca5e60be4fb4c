import { parseArgs, type ParseArgsConfig } from "node:util";

import { BackupError } from "../platform/backup/backup-error.ts";
import { StartupError } from "../platform/errors/startup-error.ts";

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Runs a command: 0 when it did its work, 1 with one line when it refused. */
export async function runCommand(work: () => Promise<number | void>): Promise<void> {
  try {
    process.exitCode = (await work()) ?? 0;
  } catch (error) {
    const isExplained = error instanceof BackupError || error instanceof StartupError;
    const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${isExplained ? error.message : details}\n`);
    process.exitCode = 1;
  }
}

/** The arguments, or a refusal that says how the command is used. */
export function readArguments<Options extends NonNullable<ParseArgsConfig["options"]>>(
  options: Options,
  usage: string,
) {
  try {
    return parseArgs({ options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new StartupError(`${error instanceof Error ? error.message : String(error)}\nUsage: ${usage}`);
  }
}
