import { createHash, randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, rmdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { artifacts as limits } from "../../limits.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import { systemCodeOf } from "../../platform/errors/error-details.ts";
import { syncFile } from "../../platform/sync-file.ts";
import { createHashThread } from "./hash-thread.ts";

/** The part of a file that is asked for. `end` is the last byte. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Is told how many bytes are there while a file is written. */
export interface Follower {
  written: (bytes: number) => void;
}

export type ContentFiles = ReturnType<typeof createContentFiles>;

const contentName = /^[0-9a-f]{64}$/;
const contentFolder = /^[0-9a-f]{2}$/;
const projectName = /^[0-9a-f-]{36}$/;

/** Files by their content: `artifacts/<project>/<two digits>/<SHA-256>`, and `<random>.part` while they arrive. */
export function createContentFiles(folder: string, diskReserveBytes: number) {
  const hashes = createHashThread();
  const folderOf = (projectId: string, sha256: string): string => join(folder, projectId, sha256.slice(0, 2));
  const pathOf = (projectId: string, sha256: Buffer): string =>
    join(folderOf(projectId, sha256.toString("hex")), sha256.toString("hex"));

  /** The bytes of files that are on their way. */
  let coming = 0;

  async function requireDisk(bytes: number): Promise<void> {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize - bytes < diskReserveBytes) throw new AppError("artifacts_no_disk");
  }

  return {
    close: () => hashes.close(),

    /** Refuses before anything is written. Many files that come at once would each fit into what is free. */
    async takeRoom(bytes: number): Promise<{ giveBack: () => void }> {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await requireDisk(coming + bytes);
      coming += bytes;
      return { giveBack: () => void (coming -= bytes) };
    },

    /** Writes a file under a temporary name. `keep` gives it its name, `drop` removes it. */
    async write(projectId: string, content: Readable, most: number, follow?: (path: string) => Follower) {
      const own = join(folder, projectId);
      await mkdir(own, { recursive: true, mode: 0o700 });
      const draft = join(own, `${randomBytes(16).toString("hex")}.part`);
      const file = createWriteStream(draft, { flags: "wx", mode: 0o600, highWaterMark: limits.writeBytes });
      // What is written is on its way to the disk while the rest arrives: at the end little is left to wait for.
      let syncing: Promise<void> | undefined;
      const syncBeside = (): void => {
        syncing ??= syncFile(draft).finally(() => (syncing = undefined));
        // The last one decides.
        syncing.catch(() => undefined);
      };
      const follower = follow?.(draft);
      const small = createHash("sha256");
      let large: ReturnType<typeof hashes.follow> | undefined;
      let bytes = 0;
      let told = 0;
      let looked = 0;
      async function* counted(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
        for await (const piece of pieces) {
          bytes += piece.length;
          if (bytes > most) throw new AppError("artifacts_full");
          // A small file is hashed sooner than a thread is asked.
          if (bytes <= limits.hashedHere) small.update(piece);
          else {
            large ??= hashes.follow(draft);
            if (file.bytesWritten - told >= limits.hashedAtOnce) {
              large.written((told = file.bytesWritten));
              follower?.written(told);
              syncBeside();
            }
          }
          // Who announced no length took no room, and the database is on the same disk.
          if (bytes - looked >= limits.diskAskedEvery) {
            looked = bytes;
            await requireDisk(0);
          }
          yield piece;
        }
      }
      const drop = async () => {
        large?.drop();
        await rm(draft, { force: true });
      };
      try {
        // The stream itself stays open when we refuse: an answer has to reach whoever still sends.
        await pipeline(counted(content.iterator({ destroyOnReturn: false })), file);
        const [sha256] = await Promise.all([large ? large.end(bytes) : small.digest(), syncFile(draft)]);
        return {
          bytes,
          sha256,
          drop: () => rm(draft, { force: true }),
          moveTo: (path: string) => rename(draft, path),
          /** Also when there is one already: whether that one is whole, nobody looked. */
          async keep(): Promise<void> {
            const target = folderOf(projectId, sha256.toString("hex"));
            await mkdir(target, { recursive: true, mode: 0o700 });
            await rename(draft, pathOf(projectId, sha256));
            // Without this the name could be gone after a power failure, and the row would be there.
            await syncFile(target);
          },
        };
      } catch (error) {
        await drop();
        throw systemCodeOf(error) === "ENOSPC" ? new AppError("artifacts_no_disk") : error;
      }
    },

    /** Undefined when the file is not there in this size. It stays readable when it is removed meanwhile. */
    async read(projectId: string, sha256: Buffer, bytes: number, range?: ByteRange): Promise<Readable | undefined> {
      const handle = await open(pathOf(projectId, sha256)).catch(() => undefined);
      if (!handle) return undefined;
      if ((await handle.stat()).size !== bytes) {
        await handle.close();
        return undefined;
      }
      const { start, end } = range ?? { start: 0, end: Math.max(0, bytes - 1) };
      return createReadStream("", { fd: handle, start, end, highWaterMark: limits.readBytes });
    },

    remove: (projectId: string, sha256: Buffer) => rm(pathOf(projectId, sha256), { force: true }),

    async projects(): Promise<string[]> {
      return (await readdir(folder).catch(() => [])).filter((name) => projectName.test(name));
    },

    /** The files of a project that are older than this, in batches: those with a hash, and drafts of killed servers. */
    async *olderThan(projectId: string, milliseconds: number, batch: number) {
      const own = join(folder, projectId);
      const isOld = async (path: string) =>
        Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now()) > milliseconds;
      for (const name of await readdir(own).catch(() => [])) {
        const path = join(own, name);
        if (name.endsWith(".part")) {
          if (await isOld(path)) yield [{ path, sha256: undefined }];
          continue;
        }
        if (!contentFolder.test(name)) continue;
        const names = (await readdir(path).catch(() => [])).filter((inner) => contentName.test(inner));
        for (let at = 0; at < names.length; at += batch) {
          const found: { path: string; sha256: Buffer | undefined }[] = [];
          for (const inner of names.slice(at, at + batch))
            if (await isOld(join(path, inner)))
              found.push({ path: join(path, inner), sha256: Buffer.from(inner, "hex") });
          yield found;
        }
      }
    },

    /** Removes the folders of a project that have nothing in them. */
    async removeEmpty(projectId: string): Promise<void> {
      const own = join(folder, projectId);
      for (const name of await readdir(own).catch(() => []))
        if (!name.endsWith(".part")) await rmdir(join(own, name)).catch(() => undefined);
      await rmdir(own).catch(() => undefined);
    },
  };
}
