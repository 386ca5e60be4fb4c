import type { Readable } from "node:stream";

import { artifactBuckets as limits } from "../../../limits.ts";
import type { Cipher } from "../../../platform/cipher.ts";
import { newId } from "../../../platform/crypto.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { ByteRange } from "../content-files.ts";
import { createBucketClients } from "./bucket-client.ts";
import type { BucketPlace } from "./bucket-place.ts";
import { BucketProblem } from "./bucket-problem.ts";
import { uploadTo } from "./bucket-upload.ts";
import { type BucketRow, createBucketQueries, type Removal } from "./buckets-queries.ts";

interface Dependencies {
  db: Db;
  cipher: Cipher;
  /** Whether buckets may be at private addresses. */
  allowsPrivate: boolean;
  /** In milliseconds: how long a bucket may take to remove what is due. */
  patience?: number;
}

export type BucketStore = ReturnType<typeof createBucketStore>;

/** The content of artefacts in buckets. Objects have random names, so that none is ever replaced. */
export function createBucketStore({ db, cipher, allowsPrivate, patience = limits.sweepPatience }: Dependencies) {
  const queries = createBucketQueries(db);
  const clients = createBucketClients({ allowsPrivate });
  const clientOf = ({ access_key: access, secret_key, ...place }: BucketRow) =>
    clients.of({ ...place, keys: { access, secret: cipher.decrypt(secret_key) } });

  async function clientById(id: string) {
    const row = await queries.find(id);
    return row && clientOf(row);
  }

  /** False when the bucket refuses or takes too long. What is left is tried again in an hour. */
  async function removeAll(bucketId: string, removals: readonly Removal[]): Promise<boolean> {
    const signal = AbortSignal.timeout(patience);
    try {
      const client = await clientById(bucketId);
      for (const { object, upload_id } of removals) {
        if (upload_id !== null) await client?.dropParts(object, upload_id, signal);
        await client?.remove(object, signal);
        await queries.forget(db, { bucket_id: bucketId, object });
      }
      return true;
    } catch (error) {
      if (error instanceof BucketProblem) return false;
      throw error;
    }
  }

  return {
    close: clients.close,

    /** Stores a small file, asks for its size, begins and drops an upload in parts, and removes the file. */
    async try(place: BucketPlace): Promise<void> {
      const client = clients.of(place);
      const object = `test-${newId()}`;
      await client.put(object, "miranda");
      try {
        if ((await client.size(object)) !== 7) throw new BucketProblem("It does not give back what was stored.");
        const upload = await client.beginParts(object);
        await client.dropParts(object, upload);
      } finally {
        await client.remove(object);
      }
    },

    /** Begins to store a new file of a project. Undefined when it goes to the server's disk. */
    async begin(projectId: string, announced: number) {
      const row = await queries.current(projectId);
      if (!row) return undefined;
      const client = clientOf(row);
      const place = { bucket_id: row.id, object: `${projectId}/${newId()}` };
      const note = (upload_id: string | null): Promise<void> =>
        queries.expect(db, { ...place, upload_id }, limits.draftHours);
      await note(null);
      let upload: ReturnType<typeof uploadTo> | undefined;
      return {
        ...place,

        /** Sends the file at this path while it is written. */
        follow(path: string) {
          upload = uploadTo({ client, object: place.object, path, announced, onPart: note });
          return upload;
        },
        end: (bytes: number): Promise<void> => asRefusal(async () => upload?.end(bytes)),

        /** Call it in the transaction that gives the object its row: from then on it is not removed. */
        keep: (trx: Db): Promise<void> => queries.forget(trx, place),

        /** What cannot be removed now, housekeeping removes later. What has its row stays. */
        async drop(): Promise<void> {
          if (!(await queries.isExpected(place))) return;
          try {
            await upload?.drop();
            await queries.forget(db, place);
          } catch (error) {
            if (!(error instanceof BucketProblem)) throw error;
          }
        },
      };
    },

    /** Undefined when it is not there. */
    read: (bucketId: string, object: string, bytes: number, range?: ByteRange): Promise<Readable | undefined> =>
      asRefusal(async () => (await clientById(bucketId))?.read(object, bytes, range)),

    /** A chore: removes objects that no content names, and forgets buckets that hold nothing. */
    async *sweep(): AsyncGenerator<void> {
      // Each is somebody's: one that hangs keeps neither the others nor the chores after this one.
      const failed = new Set<string>();
      for (;;) {
        const due = await queries.takeDue(limits.removedAtOnce, limits.draftHours);
        if (due.length === 0) break;
        const ofBuckets = [...Map.groupBy(due, ({ bucket_id }) => bucket_id)].filter(([id]) => !failed.has(id));
        await Promise.all(
          ofBuckets.map(async ([id, removals]) => {
            if (!(await removeAll(id, removals))) failed.add(id);
          }),
        );
        yield;
      }
      await queries.removeEmpty();
    },
  };
}

/** Turns what a bucket refuses into a refusal for people and clients. */
async function asRefusal<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BucketProblem)) throw error;
    throw new AppError("bucket_failed", `The project's bucket cannot be used now. ${error.message}`);
  }
}
