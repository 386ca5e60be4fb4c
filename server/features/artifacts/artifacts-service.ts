import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";

import { artifacts as limits } from "../../limits.ts";
import type { Db } from "../../platform/database/database.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import { oneAtATime } from "../../platform/limits/quota-lock.ts";
import { type ArtifactPlace, checkPath, placeOf } from "./artifact-paths.ts";
import { type ArtifactFile, createArtifactQueries, type PlacedFile } from "./artifacts-queries.ts";
import type { BucketStore } from "./buckets/bucket-store.ts";
import { type ByteRange, createContentFiles } from "./content-files.ts";
import { createPartFiles } from "./part-files.ts";
import { createPartUploads } from "./part-uploads.ts";

interface Dependencies {
  db: Db;
  dataFolder: string;
  buckets: Pick<BucketStore, "begin" | "read" | "sweep">;
  /** `projectFiles`: fewer than the usual limit, for tests. */
  settings: { projectBytes: number; trashDays: number; diskReserveBytes: number; projectFiles?: number };
}

export interface OpenedArtifact extends ArtifactFile {
  /** The part that is asked for, or all of it. */
  open: (range?: ByteRange) => Promise<Readable>;
}

export type Artifacts = ReturnType<typeof createArtifacts>;

/** Files of runs and logged models. They are stored by content: the same file twice takes its room once. */
export function createArtifacts({ db, dataFolder, buckets, settings }: Dependencies) {
  const queries = createArtifactQueries(db);
  const files = createContentFiles(join(dataFolder, "artifacts"), settings.diskReserveBytes);

  /** What the project may still store. What no path names any more is given up for it. */
  async function roomFor(projectId: string, wanted: number): Promise<number> {
    const { bytes } = await queries.totals(db, projectId);
    if (bytes + wanted <= settings.projectBytes) return settings.projectBytes - bytes;
    while ((await removeUnused(projectId)) > 0);
    return settings.projectBytes - (await queries.totals(db, projectId)).bytes;
  }

  async function removeUnused(projectId: string, days?: number): Promise<number> {
    return db.transaction().execute(async (trx) => {
      await queries.lockProject(trx, projectId);
      const removed = await queries.removeUnused(trx, projectId, limits.filesAtOnce, days);
      // Before others may store the same content again.
      for (const sha256 of removed) await files.remove(projectId, sha256);
      return removed.length;
    });
  }

  /** Refuses what does not fit before it is read. Returns how many bytes fit. */
  async function requireRoom(projectId: string, place: ArtifactPlace, announced: number): Promise<number> {
    if (place.path === place.root)
      throw new AppError("artifact_path_wrong", `Invalid path: ${place.path} is a folder.`);
    if (!(await queries.hasOwner(projectId, place)))
      throw new AppError("artifact_not_found", `No run or logged model has the folder '${place.root}'.`);
    const room = await roomFor(projectId, announced);
    if (announced > room || room <= 0) throw new AppError("artifacts_full");
    return room;
  }

  async function open(projectId: string, file: PlacedFile, range?: ByteRange): Promise<Readable> {
    const { bucket_id, object, sha256, bytes } = file;
    // A bucket refuses a range of an empty file. If the range ends after the file does, it sends what there is.
    const part = range && bytes > 0 ? { start: range.start, end: Math.min(range.end, bytes - 1) } : undefined;
    const content =
      bucket_id !== null && object !== null
        ? await buckets.read(bucket_id, object, bytes, part)
        : await files.read(projectId, sha256, bytes, part);
    if (!content) throw new AppError("artifact_lost");
    return content;
  }

  /**
   * Stores a file. The file first, then its row: a killed server leaves a file that nobody knows, never a row without
   * a file. Nothing is listed before all of it has arrived.
   */
  async function put(projectId: string, path: string, content: Readable, announced = 0): Promise<ArtifactFile> {
    const place = placeOf(path);
    const most = await requireRoom(projectId, place, announced);
    const disk = await files.takeRoom(announced);
    let upload: Awaited<ReturnType<BucketStore["begin"]>>;
    try {
      upload = await buckets.begin(projectId, announced);
      const written = await files.write(projectId, content, most, upload?.follow);
      try {
        await upload?.end(written.bytes);
        await oneAtATime({ what: "artefacts", owner: projectId }, () =>
          db.transaction().execute(async (trx) => {
            await queries.lockProject(trx, projectId);
            if (await queries.isInTheWay(trx, projectId, place.path))
              throw new AppError("artifact_path_wrong", `Invalid path: '${place.path}' is a file and a folder.`);
            const where = { bucket_id: upload?.bucket_id ?? null, object: upload?.object ?? null };
            await queries.store(trx, projectId, place, { bytes: written.bytes, sha256: written.sha256 }, where);
            const total = await queries.totals(trx, projectId);
            const stored = Math.max(total.files, total.paths);
            if (total.bytes > settings.projectBytes || stored > (settings.projectFiles ?? limits.filesPerProject))
              throw new AppError("artifacts_full");
            await (upload ? upload.keep(trx) : written.keep());
          }),
        );
      } finally {
        await written.drop();
      }
      return { path, bytes: written.bytes, sha256: written.sha256, created_at: new Date() };
    } catch (error) {
      await upload?.drop();
      throw error;
    } finally {
      disk.giveBack();
    }
  }

  const parts = createPartFiles(join(dataFolder, "artifacts"));
  const uploads = createPartUploads({
    ...{ parts, files, put },
    roomAt: (projectId, path, bytes) => requireRoom(projectId, placeOf(path), bytes),
  });

  return {
    close: files.close,
    put,
    uploads,

    /** A file by its whole path. */
    async get(projectId: string, path: string): Promise<OpenedArtifact> {
      const file = await queries.find(projectId, checkPath(path));
      if (!file) throw new AppError("artifact_not_found", `No such artifact: '${path}'`);
      return { ...file, open: (range) => open(projectId, file, range) };
    },

    /** The names of what is in a folder. Nothing for a file, and for a folder that is not there. */
    list: (projectId: string, folder: string) => queries.list(projectId, folder === "" ? "" : checkPath(folder)),
    measure: (projectId: string, folder: string) => queries.measure(projectId, checkPath(folder)),

    /** All files below a folder, by their path in it. */
    async walk(projectId: string, folder: string): Promise<(OpenedArtifact & { name: string })[]> {
      const found = await queries.walk(projectId, checkPath(folder), limits.filesInZip + 1);
      if (found.length > limits.filesInZip) throw new AppError("artifacts_too_many");
      return found.map((file) => ({
        ...file,
        name: file.path.slice(folder.length + 1),
        open: (range) => open(projectId, file, range),
      }));
    },

    /** Removes a file, or a folder with all that is in it. */
    async remove(projectId: string, path: string): Promise<void> {
      const { path: known } = placeOf(path);
      const removed = await db.transaction().execute(async (trx) => {
        await queries.lockProject(trx, projectId);
        return queries.remove(trx, projectId, known);
      });
      if (removed === 0) throw new AppError("artifact_not_found", `No such artifact: '${path}'`);
    },

    /** Removes at once what no path names. */
    async removeUnnamed(projectId: string): Promise<void> {
      while ((await removeUnused(projectId)) > 0);
    },

    /** A chore: removes content that nothing has named for long, files without a row, drafts of killed servers. */
    async *sweep(): AsyncGenerator<void> {
      for (let projectId; (projectId = await queries.findUnused(settings.trashDays)) !== undefined; yield)
        await removeUnused(projectId, settings.trashDays);
      for (const projectId of await files.projects()) {
        for await (const batch of files.olderThan(projectId, limits.draftHours * 3_600_000, limits.filesAtOnce)) {
          await db.transaction().execute(async (trx) => {
            await queries.lockProject(trx, projectId);
            const known = await queries.known(
              trx,
              projectId,
              batch.flatMap(({ sha256 }) => sha256 ?? []),
            );
            for (const { path, sha256 } of batch)
              if (sha256 === undefined || !known.has(sha256.toString("hex"))) await rm(path, { force: true });
          });
          yield;
        }
        await parts.removeOlder(projectId, limits.uploadHours * 3_600_000);
        if (!(await queries.projectExists(projectId))) await files.removeEmpty(projectId);
      }
      yield* buckets.sweep();
    },
  };
}
