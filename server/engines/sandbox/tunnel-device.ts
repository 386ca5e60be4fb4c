import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { findProgram } from "./programs.ts";

const run = promisify(execFile);
/** pasta opens this device as the session's account, not as root. */
const device = "/dev/net/tun";
const readAndWrite = 0o006;
const [major, minor] = ["10", "200"];

/** Whether every account may open the device. That is Debian's default, but not that of every container and small machine. */
function isOpen(): boolean {
  return (statSync(device).mode & readAndWrite) === readAndWrite;
}

/** Why pasta cannot make networks here; undefined when it can. */
export function tunnelProblem(isRoot: boolean): string | undefined {
  try {
    return isRoot || isOpen() ? undefined : `only root may open ${device} (chmod 0666 ${device} is Debian's default)`;
  } catch {
    return `this machine has no ${device} (modprobe tun)`;
  }
}

/**
 * What root puts before a command that needs the device. Where only root may open it, the command sees a device node of
 * our own in its place, and the machine's stays as it is.
 */
export async function withTunnel(folder: string): Promise<string[]> {
  if (isOpen()) return [];
  const own = join(folder, "tun");
  await mkdir(folder, { recursive: true });
  const isThere = await stat(own).then(
    (found) => found.isCharacterDevice(),
    () => false,
  );
  if (!isThere) await run("mknod", ["-m", "666", own, "c", major, minor]);
  return [
    findProgram("unshare") ?? "/usr/bin/unshare",
    "--mount",
    "sh",
    "-c",
    `mount --bind "$0" ${device} && exec "$@"`,
    own,
  ];
}
