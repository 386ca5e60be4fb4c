import type { ModelArtifacts } from "@miranda/contract/schemas/models/artifacts.ts";
import { basename, extname } from "node:path/posix";
import { PassThrough, Readable } from "node:stream";
import { ZipFile } from "yazl";

import { artifacts as limits } from "../../../limits.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { within } from "../../artifacts/artifact-paths.ts";
import type { Artifacts } from "../../artifacts/artifacts-service.ts";
import { safely } from "../../../platform/errors/safely.ts";

/** Where the files of a version or a run are. */
export interface FilesPlace {
  projectId: string;
  /** Undefined when nothing is stored here. */
  folder: string | undefined;
  /** Where the files are when a client keeps them. */
  elsewhere: string | null;
  /** What its zip is called, without the ending. */
  name: string;
}

interface Dependencies<Owner> {
  /** Refuses who may not read the owner of the files. */
  find: (caller: Caller, owner: Owner) => Promise<FilesPlace>;
  artifacts: Pick<Artifacts, "list" | "measure" | "get" | "walk">;
}

/** A file that is sent. `shown` is less than `bytes` in the preview of a large file. */
interface SentFile {
  name: string;
  type: string;
  bytes: number;
  shown: number;
  content: Readable;
}

export type FolderFiles<Owner> = ReturnType<typeof createFolderFiles<Owner>>;

// Whatever else a file says it is: no page of it runs on this site.
const pictures: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};

/** The files below one folder, for people. */
export function createFolderFiles<Owner>({ find, artifacts }: Dependencies<Owner>) {
  async function getPlace(caller: Caller, owner: Owner) {
    const { folder, ...place } = await find(caller, owner);
    if (folder === undefined) throw new AppError("artifact_not_found");
    return { ...place, folder };
  }

  return {
    async list(caller: Caller, owner: Owner, path: string): Promise<ModelArtifacts> {
      const { projectId, folder, elsewhere } = await find(caller, owner);
      if (folder === undefined) return { path, entries: [], bytes: 0, files: 0, elsewhere };
      const place = within(folder, path);
      const [entries, { bytes, files }] = await Promise.all([
        artifacts.list(projectId, place),
        artifacts.measure(projectId, place),
      ]);
      const before = path === "" ? "" : `${path}/`;
      const shown = entries.map((entry) => ({
        name: entry.name,
        path: before + entry.name,
        folder: entry.bytes === null,
        bytes: entry.bytes,
      }));
      return { path, entries: shown.toSorted(foldersFirst), bytes, files, elsewhere: null };
    },

    /** A file, or as much of it as a page shows. */
    async read(caller: Caller, owner: Owner, path: string, preview: boolean): Promise<SentFile> {
      const { projectId, folder } = await getPlace(caller, owner);
      const file = await artifacts.get(projectId, within(folder, path));
      const name = basename(file.path);
      const picture = pictures[extname(name).toLowerCase()];
      const isPicture = picture !== undefined && file.bytes <= limits.pictureBytes;
      if (!preview || isPicture)
        return {
          ...{ name, bytes: file.bytes, shown: file.bytes, content: await file.open() },
          type: preview && isPicture ? picture : "application/octet-stream",
        };
      const shown = Math.min(file.bytes, limits.previewBytes);
      const isText = picture === undefined && !(await hasZeroByte(file.open));
      const content = await file.open({ start: 0, end: Math.max(0, shown - 1) });
      return {
        name,
        bytes: file.bytes,
        shown,
        content,
        type: isText ? "text/plain; charset=utf-8" : "application/octet-stream",
      };
    },

    /** A folder as a zip, file by file: it is never held in memory. Nothing is compressed, so its size is known. */
    async zip(caller: Caller, owner: Owner, path: string) {
      const { projectId, folder, name } = await getPlace(caller, owner);
      const files = await artifacts.walk(projectId, within(folder, path));
      if (files.length === 0) throw new AppError("artifact_not_found");
      const zip = new ZipFile();
      const content = new PassThrough();
      let current: Readable | undefined;
      // Otherwise its file would stay open when the client leaves.
      content.once(
        "close",
        safely(() => current?.destroy()),
      );
      for (const file of files)
        zip.addReadStreamLazy(
          file.name,
          { size: file.bytes, mtime: file.created_at, mode: 0o100_644, compress: false },
          (done) => {
            if (content.destroyed) return;
            current = Readable.from(pieces(file), { objectMode: false });
            done(null, current);
          },
        );
      // Its types do not know that the size is given.
      const size = new Promise<number>((resolve) => {
        zip.end({ forceZip64Format: false, comment: "" }, (...given: unknown[]) => resolve(Number(given[0])));
      });
      zip.on(
        "error",
        safely((error: Error) => content.destroy(error)),
      );
      zip.outputStream.pipe(content);
      return { name: `${name}.zip`, bytes: await size, content };
    },
  };
}

/** Opened when its turn comes. */
async function* pieces(file: { open: () => Promise<Readable> }): AsyncGenerator<Buffer> {
  yield* await file.open();
}

function foldersFirst(one: { folder: boolean; name: string }, other: { folder: boolean; name: string }): number {
  if (one.folder !== other.folder) return one.folder ? -1 : 1;
  return one.name < other.name ? -1 : 1;
}

const lookedAt = 8_192;

/** A file with a zero byte near its beginning is no text. */
async function hasZeroByte(open: (range: { start: number; end: number }) => Promise<Readable>): Promise<boolean> {
  for await (const piece of await open({ start: 0, end: lookedAt - 1 })) if ((piece as Buffer).includes(0)) return true;
  return false;
}
