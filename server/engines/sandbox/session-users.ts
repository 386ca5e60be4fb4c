import { execFile } from "node:child_process";
import { chmod, chown, mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface UserRange {
  first: number;
  last: number;
}

/**
 * The accounts that sessions run under when the server is root: one per project, because its sessions share files. The
 * owner of the project's folder on disk records the account.
 */
export function createSessionUsers(dataFolder: string, { first, last }: UserRange) {
  const kept = join(dataFolder, "storage");
  let used: Set<number> | undefined;
  let previous: Promise<unknown> = Promise.resolve();

  const isOurs = (uid: number): boolean => uid >= first && uid <= last;
  const ownerOf = async (path: string): Promise<number> => (await stat(path)).uid;

  async function findUsed(): Promise<Set<number>> {
    const names = await readdir(kept).catch(() => []);
    const owners = await Promise.all(names.map((name) => ownerOf(join(kept, name)).catch(() => 0)));
    return new Set(owners.filter(isOurs));
  }

  async function claim(projectFolder: string): Promise<number> {
    const owner = await ownerOf(projectFolder);
    if (isOurs(owner)) return owner;
    used ??= await findUsed();
    for (let uid = first; uid <= last; uid++) {
      if (used.has(uid)) continue;
      used.add(uid);
      return uid;
    }
    throw new Error("All accounts for sessions are taken. Set MIRANDA_SESSION_UIDS to a larger range.");
  }

  /** Creates the folders for that account only. A moved workflow may bring files of its old project's account. */
  async function prepare(projectFolder: string, folders: string[]): Promise<number> {
    const all = [projectFolder, ...folders];
    const made = await makePrivate(all);
    const uid = await claim(projectFolder);
    for (const folder of made) await chown(folder, uid, uid);
    for (const folder of all)
      if ((await ownerOf(folder)) !== uid) await run("chown", ["-R", "-h", "-P", `${uid}:${uid}`, "--", folder]);
    return uid;
  }

  return (projectFolder: string, folders: string[]): Promise<number> => {
    // One at a time: two projects must not get the same account.
    const next = previous.then(() => prepare(projectFolder, folders));
    previous = next.catch(() => undefined);
    return next;
  };
}

/** Creates private folders. Returns those that are new. */
export async function makePrivate(folders: string[]): Promise<string[]> {
  const made: string[] = [];
  for (const folder of folders) {
    if ((await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) made.push(folder);
    else await chmod(folder, 0o700);
  }
  return made;
}
