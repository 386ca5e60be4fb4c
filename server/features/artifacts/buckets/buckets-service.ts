import type { ArtifactBucket, PutArtifactBucketBody } from "@miranda/contract/schemas/models/buckets.ts";

import { artifactBuckets as limits } from "../../../limits.ts";
import { actorOf, withAuditEvent } from "../../../platform/audit/audit-log.ts";
import type { Cipher } from "../../../platform/cipher.ts";
import { newId } from "../../../platform/crypto.ts";
import type { Db } from "../../../platform/database/database.ts";
import { AppError } from "../../../platform/errors/app-error.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import type { Projects } from "../../projects/projects-service.ts";
import type { BucketStore } from "./bucket-store.ts";
import { BucketProblem } from "./bucket-problem.ts";
import { type BucketRow, createBucketQueries } from "./buckets-queries.ts";

interface Dependencies {
  db: Db;
  cipher: Cipher;
  projects: Pick<Projects, "getProject">;
  store: Pick<BucketStore, "try">;
}

export type ArtifactBuckets = ReturnType<typeof createArtifactBuckets>;

/** Which bucket a project stores its artefacts in. Only its owner decides, because the bucket costs money. */
export function createArtifactBuckets({ db, cipher, projects, store }: Dependencies) {
  const queries = createBucketQueries(db);
  /** How many buckets each account is testing now. */
  const trying = new Map<string, number>();

  async function view(projectId: string): Promise<ArtifactBucket> {
    const [current, stored] = await Promise.all([queries.current(projectId), queries.stored(projectId)]);
    const sum = (isCounted: (bucket: string | null) => boolean) =>
      stored
        .filter(({ bucket_id }) => isCounted(bucket_id))
        .reduce((all, { files, bytes }) => ({ files: all.files + files, bytes: all.bytes + bytes }), {
          files: 0,
          bytes: 0,
        });
    return {
      current: current ? toView(current) : null,
      in_bucket: sum((bucket) => bucket !== null && bucket === current?.id),
      in_others: sum((bucket) => bucket !== null && bucket !== current?.id),
      on_disk: sum((bucket) => bucket === null),
    };
  }

  /** Limits the tests of an account: tests of an address that hangs would take all connections. */
  async function testBucket(accountId: string, wish: Parameters<BucketStore["try"]>[0]): Promise<void> {
    const before = trying.get(accountId) ?? 0;
    if (before >= limits.testsPerAccount) throw new AppError("too_many_bucket_tests", undefined, 10);
    trying.set(accountId, before + 1);
    try {
      await store.try(wish);
    } catch (error) {
      if (error instanceof BucketProblem)
        throw new AppError("bucket_refused", `The bucket cannot be used. ${error.message}`);
      throw error;
    } finally {
      const left = (trying.get(accountId) ?? 1) - 1;
      if (left > 0) trying.set(accountId, left);
      else trying.delete(accountId);
    }
  }

  return {
    async get(caller: Caller, projectId: string): Promise<ArtifactBucket> {
      await projects.getProject(caller, projectId, "own");
      return view(projectId);
    },

    /** Saving the same place again changes its keys, also for the files that are already there. */
    async save(caller: Caller, projectId: string, body: PutArtifactBucketBody): Promise<ArtifactBucket> {
      await projects.getProject(caller, projectId, "own");
      const { secret_key: given, ...wish } = body;
      const place = { ...wish, prefix: wish.prefix.replace(/\/$/, ""), endpoint: wish.endpoint.replace(/\/+$/, "") };
      const known = await queries.findSame(projectId, place);
      if (given === "" && !known) throw new AppError("bucket_refused", "Secret key is required.");
      const secret = given === "" && known ? cipher.decrypt(known.secret_key) : given;
      await testBucket(caller.accountId, { ...place, keys: { access: place.access_key, secret } });
      const row = { id: known?.id ?? newId(), ...place, secret_key: cipher.encrypt(secret) };
      const subject = { kind: "bucket", id: row.id, name: place.bucket };
      const event = { kind: "bucket.set", ...actorOf(caller), projectId, subject } as const;
      await withAuditEvent(db, event, (trx) => createBucketQueries(trx).choose(projectId, row));
      return view(projectId);
    },

    /** New files go to the server's disk. Files in the bucket stay there and can still be read. */
    async leave(caller: Caller, projectId: string): Promise<ArtifactBucket> {
      await projects.getProject(caller, projectId, "own");
      const event = { kind: "bucket.remove", ...actorOf(caller), projectId } as const;
      await withAuditEvent(db, event, (trx) => createBucketQueries(trx).leave(projectId));
      return view(projectId);
    },
  };
}

function toView({ endpoint, region, bucket, prefix, access_key, created_at }: BucketRow): ArtifactBucket["current"] {
  return { endpoint, region, bucket, prefix, access_key, time_created: created_at.toISOString() };
}
