import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ZipFile } from "yazl";

import { syncFile } from "../sync-file.ts";
import { BackupError } from "./backup-error.ts";
import { safely } from "../errors/safely.ts";

export interface Written {
  bytes: number;
  sha256: string;
}

const checkedEvery = 16 * 1024 * 1024;

export type ArchiveWriter = ReturnType<typeof createArchiveWriter>;

/** Writes a zip under a temporary name, one entry after the other. Only `publish` gives it its name. */
export function createArchiveWriter(target: string, reserveBytes: number, onBytes: (bytes: number) => void) {
  const draft = `${target}.part`;
  const zip = new ZipFile();
  const file = createWriteStream(draft, { flags: "wx", mode: 0o600 });
  // The first entry looks at the disk too.
  let unchecked = checkedEvery;
  let failed: Error | undefined;
  let refuse: (error: Error) => void = () => undefined;
  const failure = new Promise<never>((_resolve, reject) => (refuse = reject));
  failure.catch(() => undefined);
  zip.on(
    "error",
    safely((error: Error) => fail(error)),
  );
  // yazl types its stream as the oldest kind of readable.
  const written = pipeline(zip.outputStream as Readable, file).catch((error: Error) => fail(error));

  // A database on the same disk does not survive a full one.
  async function requireRoom(): Promise<void> {
    unchecked = 0;
    const { bavail, bsize } = await statfs(dirname(target));
    if (bavail * bsize < reserveBytes)
      throw new BackupError(`The disk of ${dirname(target)} is almost full. No archive was left there.`);
  }

  function fail(error: unknown): void {
    failed ??= error instanceof Error ? error : new Error(String(error));
    refuse(failed);
  }

  return {
    draft,

    /** Copies a stream into the archive. */
    async add(name: string, content: AsyncIterable<Buffer>, compressionLevel: number): Promise<Written> {
      const hash = createHash("sha256");
      let bytes = 0;
      let end: () => void = () => undefined;
      const ended = new Promise<void>((resolve) => (end = resolve));
      // A table's stream tells an error only once, perhaps before anybody reads from it.
      if (content instanceof Readable) content.on("error", safely(fail));
      async function* counted(): AsyncGenerator<Buffer> {
        // An error thrown here would end the process: nobody listens to the stream of an entry.
        try {
          for await (const piece of content) {
            hash.update(piece);
            bytes += piece.length;
            onBytes(piece.length);
            if ((unchecked += piece.length) > checkedEvery) await requireRoom();
            if (failed) return;
            yield piece;
          }
          end();
        } catch (error) {
          fail(error);
        }
      }
      zip.addReadStreamLazy(name, { mode: 0o100_600, compressionLevel }, (done) =>
        done(null, Readable.from(counted(), { objectMode: false })),
      );
      try {
        await Promise.race([ended, failure]);
      } catch (error) {
        if (content instanceof Readable) content.destroy();
        throw error;
      }
      return { bytes, sha256: hash.digest("hex") };
    },

    /** Everything is on the disk when this is done. The file still has its temporary name. */
    async finish(): Promise<void> {
      zip.end();
      await written;
      if (failed) throw failed;
      await syncFile(draft);
    },

    async publish(): Promise<void> {
      await rename(draft, target);
      await syncFile(dirname(target));
    },

    async discard(): Promise<void> {
      file.destroy();
      // It may not be open yet, and would appear after it was removed.
      if (!file.closed)
        await new Promise<void>((resolve) => {
          file.once(
            "close",
            safely(() => resolve()),
          );
        });
      await rm(draft, { force: true });
    },
  };
}
