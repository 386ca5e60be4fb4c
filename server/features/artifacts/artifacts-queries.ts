import { sql } from "kysely";

import type { Db } from "../../platform/database/database.ts";
import { lockUntilCommit } from "../../platform/limits/quota-lock-queries.ts";
import { type ArtifactPlace, foldersOf } from "./artifact-paths.ts";

export interface ArtifactFile {
  path: string;
  bytes: number;
  sha256: Buffer;
  created_at: Date;
}

/** An object in a bucket. Null: the content is on the server's disk. */
export interface ContentPlace {
  bucket_id: string | null;
  object: string | null;
}

export type PlacedFile = ArtifactFile & ContentPlace;

export interface Content {
  bytes: number;
  sha256: Buffer;
}

/** A file or folder, by its name in the folder that was asked for. */
export interface ArtifactEntry {
  name: string;
  /** Null for a folder. */
  bytes: number | null;
}

/** In the order of bytes, everything below a folder is between these two: `0` follows `/`. */
const below = (folder: string) => ({ from: folder === "" ? "" : `${folder}/`, to: folder === "" ? "~" : `${folder}0` });

export function createArtifactQueries(db: Db) {
  const placedFiles = () =>
    db
      .selectFrom("artifacts")
      .innerJoin("artifact_contents as content", (join) =>
        join.onRef("content.project_id", "=", "artifacts.project_id").onRef("content.sha256", "=", "artifacts.sha256"),
      )
      .select([
        ...(["artifacts.path", "artifacts.bytes", "artifacts.sha256"] as const),
        ...(["artifacts.created_at", "content.bucket_id", "content.object"] as const),
      ]);

  return {
    /**
     * Until the transaction ends nobody else stores or removes content of the project. A file could otherwise be
     * removed while its content is stored again.
     */
    lockProject: (trx: Db, projectId: string) => lockUntilCommit(trx, `artifacts of ${projectId}`),

    find: (projectId: string, path: string): Promise<PlacedFile | undefined> =>
      placedFiles().where("artifacts.project_id", "=", projectId).where("path", "=", path).executeTakeFirst(),

    /** The files and folders in a folder. Jumps from one to the next, so that files further down cost nothing. */
    list: async (projectId: string, folder: string): Promise<ArtifactEntry[]> => {
      const { from, to } = below(folder);
      // Characters as the database counts them.
      const start = sql`char_length(${from}) + 1`;
      const { rows } = await sql<ArtifactEntry>`
        with recursive found as (
          (select path, bytes from artifacts
            where project_id = ${projectId} and path > ${from} and path < ${to} order by path limit 1)
          union all
          (select next.path, next.bytes from found cross join lateral (
              select split_part(substr(found.path, ${start}), '/', 1) as name,
                strpos(substr(found.path, ${start}), '/') > 0 as is_folder
            ) as here cross join lateral (
              select path, bytes from artifacts where project_id = ${projectId} and path < ${to}
                and path >= case when here.is_folder then ${from} || here.name || '0' else found.path || ' ' end
              order by path limit 1
            ) as next)
        )
        select split_part(substr(path, ${start}), '/', 1) as name,
          case when strpos(substr(path, ${start}), '/') > 0 then null else bytes end as bytes
        from found order by name`.execute(db);
      return rows;
    },

    /** Every file below a folder. */
    walk: (projectId: string, folder: string, most: number): Promise<PlacedFile[]> => {
      const { from, to } = below(folder);
      return placedFiles()
        .where("artifacts.project_id", "=", projectId)
        .where("path", ">", from)
        .where("path", "<", to)
        .orderBy("path")
        .limit(most)
        .execute();
    },

    /** What is below a folder. */
    measure: async (projectId: string, folder: string): Promise<{ bytes: number; files: number }> => {
      const { from, to } = below(folder);
      return db
        .selectFrom("artifacts")
        .select([sql<number>`coalesce(sum(bytes), 0)::bigint`.as("bytes"), sql<number>`count(*)`.as("files")])
        .where("project_id", "=", projectId)
        .where("path", ">", from)
        .where("path", "<", to)
        .executeTakeFirstOrThrow();
    },

    /** Whether the run or logged model that a path belongs to is in the project. */
    hasOwner: async (projectId: string, { experiment, owner }: ArtifactPlace): Promise<boolean> => {
      const found =
        owner.kind === "run"
          ? await db
              .selectFrom("tracked_runs")
              .select("id")
              .where("id", "=", owner.runId)
              .where("project_id", "=", projectId)
              .where("experiment", "=", experiment)
              .executeTakeFirst()
          : await db
              .selectFrom("logged_models")
              .select("id")
              .where("id", "=", owner.modelId)
              .where("project_id", "=", projectId)
              .where("experiment", "=", experiment)
              .executeTakeFirst();
      return found !== undefined;
    },

    /** Whether a folder above the path is a file, or the path is a folder. */
    isInTheWay: async (trx: Db, projectId: string, path: string): Promise<boolean> => {
      const { from, to } = below(path);
      const { rows } = await sql`
        select from artifacts where project_id = ${projectId} and path = any(${foldersOf(path)})
        union all
        (select from artifacts where project_id = ${projectId} and path > ${from} and path < ${to} limit 1)
        limit 1`.execute(trx);
      return rows.length > 0;
    },

    totals: async (on: Db, projectId: string): Promise<{ bytes: number; files: number; paths: number }> =>
      (await on
        .selectFrom("artifact_totals")
        .select(["bytes", "files", "paths"])
        .where("project_id", "=", projectId)
        .executeTakeFirst()) ?? { bytes: 0, files: 0, paths: 0 },

    /** The content, and the path that names it. */
    store: async (
      trx: Db,
      projectId: string,
      { path, owner }: ArtifactPlace,
      content: Content,
      where: ContentPlace,
    ): Promise<void> => {
      await trx
        .insertInto("artifact_contents")
        .values({ project_id: projectId, ...content, ...where })
        // The new copy replaces the old one, which may be damaged: nobody checked it.
        .onConflict((conflict) => conflict.columns(["project_id", "sha256"]).doUpdateSet({ unused_at: null, ...where }))
        .execute();
      await trx
        .insertInto("artifacts")
        .values({
          project_id: projectId,
          path,
          ...content,
          run_id: owner.kind === "run" ? owner.runId : null,
          logged_model_id: owner.kind === "model" ? owner.modelId : null,
        })
        .onConflict((conflict) =>
          conflict.columns(["project_id", "path"]).doUpdateSet({ ...content, created_at: sql<Date>`now()` }),
        )
        .execute();
    },

    /** Removes a file, or a folder with all that is in it. */
    remove: async (trx: Db, projectId: string, path: string): Promise<number> => {
      const { from, to } = below(path);
      const { numDeletedRows } = await trx
        .deleteFrom("artifacts")
        .where("project_id", "=", projectId)
        .where((where) =>
          where.or([where("path", "=", path), where.and([where("path", ">", from), where("path", "<", to)])]),
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },

    /** A project with content that no path has named for so many days. */
    findUnused: async (days: number): Promise<string | undefined> => {
      const { rows } = await sql<{ project_id: string }>`select project_id from artifact_contents
        where unused_at < now() - ${days} * interval '1 day' order by unused_at limit 1`.execute(db);
      return rows[0]?.project_id;
    },

    /** Removes at most so many contents that no path names, oldest first. A trigger notes objects in buckets. */
    removeUnused: async (trx: Db, projectId: string, most: number, days = 0): Promise<Buffer[]> => {
      const { rows } = await sql<{ sha256: Buffer }>`
        delete from artifact_contents where project_id = ${projectId} and sha256 in (
          select sha256 from artifact_contents
          where project_id = ${projectId} and unused_at <= now() - ${days} * interval '1 day'
          order by unused_at limit ${most})
        returning sha256`.execute(trx);
      return rows.map(({ sha256 }) => sha256);
    },

    /** Which of these contents are on the server's disk: their hashes as text. */
    known: async (trx: Db, projectId: string, hashes: Buffer[]): Promise<Set<string>> => {
      const rows = await trx
        .selectFrom("artifact_contents")
        .select("sha256")
        .where("project_id", "=", projectId)
        .where("sha256", "=", sql<Buffer>`any(${hashes})`)
        .where("bucket_id", "is", null)
        .execute();
      return new Set(rows.map(({ sha256 }) => sha256.toString("hex")));
    },

    projectExists: async (projectId: string): Promise<boolean> =>
      (await db.selectFrom("projects").select("id").where("id", "=", projectId).executeTakeFirst()) !== undefined,
  };
}
