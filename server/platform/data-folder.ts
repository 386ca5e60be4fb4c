import { constants } from "node:fs";
import { access, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { DataFolderInUse, StartupError } from "./errors/startup-error.ts";
import { messageOf, systemCodeOf } from "./errors/error-details.ts";

export interface DataFolder {
  path: string;
  release(): Promise<void>;
}

/** Creates the data folder if needed and locks it, so that two servers never share one. */
export async function holdDataFolder(path: string): Promise<DataFolder> {
  try {
    // Other accounts may pass through but not list it: the database may run under an account of its own.
    await mkdir(path, { recursive: true, mode: 0o711 });
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartupError(
      `The data folder ${path} cannot be used: ${reason(error)}. Set MIRANDA_DATA to another one.`,
    );
  }
  const lock = join(path, "miranda.lock");
  const mine = `${process.pid} ${await startTime(process.pid)}`;
  await takeLock(lock, mine, path);
  return {
    path,
    release: async () => {
      if ((await readFile(lock, "utf8").catch(() => "")) === mine) await rm(lock, { force: true });
    },
  };
}

async function takeLock(lock: string, mine: string, path: string): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      await writeFile(lock, mine, { flag: "wx" });
      return;
    } catch (error) {
      if (systemCodeOf(error) !== "EEXIST")
        throw new StartupError(
          `The data folder ${path} cannot be written: ${reason(error)}. Set MIRANDA_DATA to another one.`,
        );
    }
    const held = await readFile(lock, "utf8").catch(() => "");
    const [pid, started] = held.split(" ");
    // The lock includes the start time: after a crash the pid may belong to another process.
    if (pid && started === (await startTime(Number(pid))))
      throw new DataFolderInUse(`The data folder ${path} is in use by another Miranda (process ${pid}).`);
    const stale = `${lock}.${process.pid}`;
    await rename(lock, stale).catch(() => undefined);
    await rm(stale, { force: true });
  }
  throw new StartupError(`The data folder ${path} is being taken by another Miranda that starts right now.`);
}

/** The kernel's start tick of a process, "gone" without one, "unknown" where there is no /proc but the process lives. */
async function startTime(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    // The command name is in parentheses and may itself hold spaces and parentheses.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "unknown";
  } catch {
    try {
      process.kill(pid, 0);
      return "unknown";
    } catch {
      return "gone";
    }
  }
}

function reason(error: unknown): string {
  const code = systemCodeOf(error);
  if (code === "EACCES" || code === "EPERM") return "no permission to write there";
  if (code === "EROFS") return "it is on a read-only disk";
  if (code === "ENOTDIR" || code === "EEXIST") return "it is not a folder";
  if (code === "ENOSPC") return "the disk is full";
  return messageOf(error);
}
