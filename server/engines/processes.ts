import { readFileSync } from "node:fs";
import { open, readdir, readFile } from "node:fs/promises";

export interface ProcessInfo {
  pid: number;
  parent: number;
  /** Kernel ticks since boot. With the pid it identifies one process for ever. */
  start: string;
  isZombie: boolean;
}

export async function findProcess(pid: number): Promise<ProcessInfo | undefined> {
  try {
    return infoOf(pid, await readFile(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return undefined;
  }
}

function infoOf(pid: number, stat: string): ProcessInfo {
  // The command name is in parentheses and may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { pid, parent: Number(fields[1]), start: fields[19] ?? "", isZombie: fields[0] === "Z" };
}

async function allProcesses(): Promise<ProcessInfo[]> {
  const names = await readdir("/proc");
  const found = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map((name) => findProcess(Number(name))));
  return found.filter((process) => process !== undefined);
}

export async function descendantsOf(root: number): Promise<ProcessInfo[]> {
  const children = Map.groupBy(await allProcesses(), ({ parent }) => parent);
  const found: ProcessInfo[] = [];
  const waiting = [root];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    for (const child of children.get(pid) ?? []) {
      found.push(child);
      waiting.push(child.pid);
    }
  }
  return found;
}

// The mark comes first. A process may have an environment of gigabytes, and we read those of all processes.
const environmentRead = 64 << 10;

/** Processes with a mark in their environment. Nothing else finds those whose parent is gone. */
export async function markedBy(mark: string): Promise<ProcessInfo[]> {
  const needle = `${mark}\u0000`;
  const found: ProcessInfo[] = [];
  for (const process of await allProcesses()) {
    const environment = await beginningOf(`/proc/${process.pid}/environ`);
    if (environment.startsWith(needle) || environment.includes(`\u0000${needle}`)) found.push(process);
  }
  return found;
}

async function beginningOf(path: string): Promise<string> {
  const file = await open(path, "r").catch(() => undefined);
  if (!file) return "";
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(environmentRead), 0, environmentRead, 0);
    return buffer.toString("latin1", 0, bytesRead);
  } catch {
    return "";
  } finally {
    await file.close();
  }
}

/**
 * To this process and no other: since it was found it may have ended, and its number may be another's. Node has no
 * pidfds, so it is looked at again directly before, without waiting for anything between.
 */
export function signal({ pid, start }: Pick<ProcessInfo, "pid" | "start">, name: NodeJS.Signals): void {
  try {
    if (infoOf(pid, readFileSync(`/proc/${pid}/stat`, "utf8")).start === start) process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}
