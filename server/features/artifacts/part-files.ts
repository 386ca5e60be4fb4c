import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { artifacts as limits } from "../../limits.ts";
import { systemCodeOf } from "../../platform/errors/error-details.ts";

/** What an upload in parts is to become. */
export interface PlannedUpload {
  path: string;
  parts: number;
}

export interface PartFile {
  number: number;
  bytes: number;
  /** The hash of its content. */
  tag: string;
  file: string;
}

const partName = /^(\d{1,5})\.(\d{1,15})\.([0-9a-f]{64})\.part$/;
const uploadId = /^[0-9a-f]{64}$/;
const planName = "plan.part";

export type PartFiles = ReturnType<typeof createPartFiles>;

/**
 * Uploads in parts, on the disk: `<folder>/<project>/uploads/<id>/<number>.<bytes>.<SHA-256>.part`. All names end in
 * `.part`, so backups leave them out.
 */
export function createPartFiles(folder: string) {
  const uploadsOf = (projectId: string): string => join(folder, projectId, "uploads");
  const folderOf = (projectId: string, id: string): string => join(uploadsOf(projectId), id);

  async function list(projectId: string, name: string): Promise<PartFile[]> {
    const own = folderOf(projectId, name);
    return (await readdir(own).catch(() => [])).flatMap((file) => {
      const [, number, bytes, tag] = partName.exec(file) ?? [];
      if (tag === undefined) return [];
      return [{ number: Number(number), bytes: Number(bytes), tag, file: join(own, file) }];
    });
  }

  async function planIn(own: string): Promise<PlannedUpload | undefined> {
    const text = await readFile(join(own, planName), "utf8").catch(() => undefined);
    return text === undefined ? undefined : (JSON.parse(text) as PlannedUpload);
  }

  const remove = (projectId: string, name: string): Promise<void> =>
    rm(folderOf(projectId, name), { recursive: true, force: true });

  return {
    list,
    remove,

    /** The plans of all uploads of a project that are not finished. */
    async open(projectId: string): Promise<PlannedUpload[]> {
      const found: PlannedUpload[] = [];
      for (const name of await readdir(uploadsOf(projectId)).catch(() => []))
        found.push((await planIn(folderOf(projectId, name))) ?? { path: "", parts: 0 });
      return found;
    },

    /** The bytes of all uploads of a project that are not finished. */
    async bytes(projectId: string): Promise<number> {
      let sum = 0;
      for (const name of await readdir(uploadsOf(projectId)).catch(() => []))
        for (const { bytes } of await list(projectId, name)) sum += bytes;
      return sum;
    },

    async begin(projectId: string, plan: PlannedUpload): Promise<string> {
      const id = randomBytes(32).toString("hex");
      await mkdir(folderOf(projectId, id), { recursive: true, mode: 0o700 });
      await writeFile(join(folderOf(projectId, id), planName), JSON.stringify(plan), { mode: 0o600 });
      return id;
    },

    /** Undefined when there is no such upload. */
    async plan(projectId: string, id: string): Promise<PlannedUpload | undefined> {
      return uploadId.test(id) ? planIn(folderOf(projectId, id)) : undefined;
    },

    /** Where a part is to be, and which files it replaces. */
    async placeFor(projectId: string, id: string, { number, bytes, tag }: Omit<PartFile, "file">) {
      const older = (await list(projectId, id)).filter((part) => part.number === number && part.tag !== tag);
      const file = join(folderOf(projectId, id), `${number}.${bytes}.${tag}.part`);
      return { file, older: older.map((part) => part.file) };
    },

    /** No more parts are accepted from now on. Undefined when there is no such upload. */
    async close(projectId: string, id: string): Promise<{ name: string; reopen: () => Promise<void> } | undefined> {
      const [open, closed] = [folderOf(projectId, id), folderOf(projectId, `${id}-closed`)];
      try {
        await rename(open, closed);
      } catch (error) {
        if (systemCodeOf(error) === "ENOENT") return undefined;
        throw error;
      }
      return { name: `${id}-closed`, reopen: () => rename(closed, open) };
    },

    async *content(parts: readonly PartFile[]): AsyncGenerator<Buffer> {
      for (const { file } of parts) yield* createReadStream(file, { highWaterMark: limits.readBytes });
    },

    removeFile: (file: string) => rm(file, { force: true }),

    /** Removes uploads that got no part for so long. */
    async removeOlder(projectId: string, milliseconds: number): Promise<void> {
      for (const name of await readdir(uploadsOf(projectId)).catch(() => [])) {
        const changed = (await stat(folderOf(projectId, name)).catch(() => undefined))?.mtimeMs ?? Date.now();
        if (Date.now() - changed > milliseconds) await remove(projectId, name);
      }
    },
  };
}
