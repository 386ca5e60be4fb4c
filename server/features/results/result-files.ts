import { createHash, randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, rmdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";

import { AppError } from "../../platform/errors/app-error.ts";
import { systemCodeOf } from "../../platform/errors/error-details.ts";

/** A file, as its row describes it. */
export interface ResultFile {
  projectId: string;
  key: string;
  sha256: Buffer;
}

export type ResultFiles = ReturnType<typeof createResultFiles>;

const fileName = /^([0-9a-f]{64})-([0-9a-f]{16})$/;
const projectName = /^[0-9a-f-]{36}$/;

/** The files of kept results: `results/<project>/<key>-<part of its hash>`. */
export function createResultFiles(folder: string, diskReserveBytes: number) {
  // With its hash in the name, two sessions that write the same key never replace each other's file.
  const pathOf = ({ projectId, key, sha256 }: ResultFile): string =>
    join(folder, projectId, `${key}-${sha256.toString("hex").slice(0, 16)}`);

  /** The bytes of files that are on their way. */
  let coming = 0;

  return {
    /** Refuses before anything is written. Many files that come at once would each fit into what is free. */
    async takeRoom(bytes: number): Promise<{ giveBack: () => void }> {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const { bavail, bsize } = await statfs(folder);
      if (bavail * bsize - coming - bytes < diskReserveBytes) throw new AppError("result_no_room");
      coming += bytes;
      return { giveBack: () => void (coming -= bytes) };
    },

    /** Writes a file under a temporary name. `keep` gives it its name, `drop` removes it. */
    async write(projectId: string, key: string, content: Readable, most: number) {
      const own = join(folder, projectId);
      await mkdir(own, { recursive: true, mode: 0o700 });
      const draft = join(own, `${key}.${randomBytes(8).toString("hex")}.part`);
      const drop = () => rm(draft, { force: true });
      const hash = createHash("sha256");
      let bytes = 0;
      const counting = new Transform({
        transform(piece: Buffer, _encoding, done) {
          bytes += piece.length;
          hash.update(piece);
          if (bytes > most) done(new AppError("result_too_large"));
          else done(null, piece);
        },
      });
      try {
        await pipeline(content, counting, createWriteStream(draft, { flags: "wx", mode: 0o600, flush: true }));
      } catch (error) {
        await drop();
        throw systemCodeOf(error) === "ENOSPC" ? new AppError("result_no_room") : error;
      }
      const sha256 = hash.digest();
      return {
        bytes,
        sha256,
        drop,
        async keep(): Promise<void> {
          await rename(draft, pathOf({ projectId, key, sha256 }));
          // Without this the name could be gone after a power failure, and the row would be there.
          await using handle = await open(own);
          await handle.sync();
        },
      };
    },

    /** Whether the file is there with this size. */
    async hasSize(file: ResultFile, bytes: number): Promise<boolean> {
      const found = await stat(pathOf(file)).catch(() => undefined);
      return found?.isFile() === true && found.size === bytes;
    },

    /** The content, after all of it was compared with the hash. Undefined when it is not what was kept. */
    async read(file: ResultFile): Promise<Readable | undefined> {
      const handle = await open(pathOf(file)).catch(() => undefined);
      if (!handle) return undefined;
      const hash = createHash("sha256");
      for await (const piece of createReadStream("", { fd: handle, autoClose: false, start: 0 })) hash.update(piece);
      // The same open file: nobody can put another one in its place meanwhile.
      if (hash.digest().equals(file.sha256)) return createReadStream("", { fd: handle, start: 0 });
      await handle.close();
      return undefined;
    },

    remove: (file: ResultFile) => rm(pathOf(file), { force: true }),
    /** Removes the folder of a project that has nothing in it. */
    removeEmpty: (projectId: string) => rmdir(join(folder, projectId)).catch(() => undefined),

    async projects(): Promise<string[]> {
      return (await readdir(folder).catch(() => [])).filter((name) => projectName.test(name));
    },

    /** The files of a project that are older than this, in batches: those with a key, and drafts of killed servers. */
    async *olderThan(projectId: string, milliseconds: number, batch: number) {
      const own = join(folder, projectId);
      const names = await readdir(own).catch(() => []);
      for (let at = 0; at < names.length; at += batch) {
        const found: { path: string; key: string | undefined; part: string | undefined }[] = [];
        for (const name of names.slice(at, at + batch)) {
          const path = join(own, name);
          const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now());
          const [, key, part] = fileName.exec(name) ?? [];
          if (age > milliseconds) found.push({ path, key, part });
        }
        yield found;
      }
    },
  };
}
