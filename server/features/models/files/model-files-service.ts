import type { ModelArtifacts } from "@miranda/contract/schemas/models/artifacts.ts";
import { basename, extname } from "node:path/posix";
import { PassThrough, Readable } from "node:stream";
import { ZipFile } from "yazl";

import { artifacts as limits } from "../../../limits.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import { within } from "../../artifacts/artifact-paths.ts";
import type { Artifacts } from "../../artifacts/artifacts-service.ts";
import type { ModelAccess } from "../model-access.ts";
import { versionFolder } from "../versions/version-folder.ts";

interface Dependencies {
  db: Db;
  access: Pick<ModelAccess, "getVersion">;
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

export type ModelFiles = ReturnType<typeof createModelFiles>;

// Whatever else a file says it is: no page of it runs on this site.
const pictures: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};

/** The files of a version of a model, for people. */
export function createModelFiles({ db, access, artifacts }: Dependencies) {
  /** Where its files are. `folder` is undefined when a client keeps them elsewhere. */
  async function findPlace(caller: Caller, modelId: string, number: number) {
    const { project_id: projectId, name } = await access.getVersion(caller, modelId, number, "read");
    const row = await db
      .selectFrom("model_versions as v")
      .leftJoin("logged_models as logged", "logged.id", "v.logged_model_id")
      .leftJoin("tracked_runs as tracked", "tracked.id", "v.tracked_run_id")
      .select([
        "v.source",
        "logged.id as logged_model_id",
        "logged.experiment as logged_experiment",
        "tracked.id as tracked_run_id",
        "tracked.experiment",
      ])
      .where("v.model_id", "=", modelId)
      .where("v.number", "=", number)
      .executeTakeFirstOrThrow();
    return { projectId, name, source: row.source, folder: versionFolder(row) };
  }

  async function getPlace(caller: Caller, modelId: string, number: number) {
    const { folder, ...place } = await findPlace(caller, modelId, number);
    if (folder === undefined) throw new AppError("artifact_not_found");
    return { ...place, folder };
  }

  return {
    async list(caller: Caller, modelId: string, number: number, path: string): Promise<ModelArtifacts> {
      const { projectId, folder, source } = await findPlace(caller, modelId, number);
      if (folder === undefined) return { path, entries: [], bytes: 0, files: 0, elsewhere: source || null };
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
    async read(caller: Caller, modelId: string, number: number, path: string, preview: boolean): Promise<SentFile> {
      const { projectId, folder } = await getPlace(caller, modelId, number);
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
    async zip(caller: Caller, modelId: string, number: number, path: string) {
      const { projectId, folder, name } = await getPlace(caller, modelId, number);
      const files = await artifacts.walk(projectId, within(folder, path));
      if (files.length === 0) throw new AppError("artifact_not_found");
      const zip = new ZipFile();
      for (const file of files)
        zip.addReadStreamLazy(
          file.name,
          { size: file.bytes, mtime: file.created_at, mode: 0o100_644, compress: false },
          (done) => done(null, Readable.from(pieces(file), { objectMode: false })),
        );
      // Its types do not know that the size is given.
      const size = new Promise<number>((resolve) => {
        zip.end({ forceZip64Format: false, comment: "" }, (...given: unknown[]) => resolve(Number(given[0])));
      });
      const content = new PassThrough();
      zip.on("error", (error: Error) => content.destroy(error));
      zip.outputStream.pipe(content);
      return { name: `${name}-v${number}.zip`, bytes: await size, content };
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
