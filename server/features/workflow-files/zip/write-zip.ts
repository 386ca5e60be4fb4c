import { PassThrough, Readable } from "node:stream";
import { ZipFile } from "yazl";

import { safely } from "../../../platform/errors/safely.ts";

/** A file of a zip. Its content is fetched when its turn comes, so that only one is held in memory. */
export interface ZippedFile {
  path: string;
  content: () => Promise<Buffer>;
}

// The same content always makes the same zip: the time of an export is not part of it.
const mtime = new Date("2000-01-01T00:00:00Z");

export function writeZip(files: Iterable<ZippedFile>): Readable {
  const zip = new ZipFile();
  for (const { path, content } of files)
    zip.addReadStreamLazy(path, { mtime, mode: 0o100_644, forceDosTimestamp: true }, (done) =>
      done(null, Readable.from(once(content), { objectMode: false })),
    );
  zip.end();
  const stream = new PassThrough();
  zip.on(
    "error",
    safely((error: Error) => stream.destroy(error)),
  );
  return zip.outputStream.pipe(stream);
}

async function* once(content: () => Promise<Buffer>): AsyncGenerator<Buffer> {
  yield await content();
}
