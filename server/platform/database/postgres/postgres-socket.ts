import { lchown, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Owner {
  uid: number;
  gid: number;
}

/** Where the embedded PostgreSQL is reached: a socket in a folder that only its owner may enter. */
export interface SocketFolder {
  path: string;
  /** Removes what a killed PostgreSQL left behind. Its pid may belong to another process by now. */
  clear(): Promise<void>;
  remove(): Promise<void>;
}

/** No port is opened. The number is part of the socket's name. */
const port = 5432;
const socketName = `.s.PGSQL.${port}`;
/** The kernels' limit for the path of a socket: 107 bytes on Linux, 103 on macOS. */
const longestPath = 103;

export async function openSocketFolder(folder: string, owner: Owner | undefined): Promise<SocketFolder> {
  const path = await makeFolder(join(folder, "socket"));
  // Not chown: where another account owns the parent folder, the name could be a link by now.
  if (owner) await lchown(path, owner.uid, owner.gid);
  const clear = async (): Promise<void> => {
    for (const name of [socketName, `${socketName}.lock`]) await rm(join(path, name), { force: true });
  };
  return { path, clear, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Beside the database's files, which the sandbox of node code hides, or in /tmp, which the sandbox replaces. */
async function makeFolder(wanted: string): Promise<string> {
  if (Buffer.byteLength(join(wanted, socketName)) > longestPath) return mkdtemp(join(tmpdir(), "miranda-postgres-"));
  await rm(wanted, { recursive: true, force: true });
  await mkdir(wanted, { mode: 0o700 });
  return wanted;
}

export function socketUrl(folder: string, role: string, password: string, database: string): string {
  return `postgres://${role}:${password}@${encodeURIComponent(folder)}:${port}/${database}`;
}

/** As a setting: a comma in the name would otherwise make it two folders. */
export function socketSettings(folder: string): Record<string, string> {
  return {
    listen_addresses: "",
    unix_socket_directories: `"${folder.replaceAll('"', '""')}"`,
    unix_socket_permissions: "0700",
    port: String(port),
  };
}
