import { errors } from "@miranda/contract/errors.ts";
import type { ArtifactBucket } from "@miranda/contract/schemas/models/buckets.ts";
import { sql } from "kysely";
import { randomBytes } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { hasSwift } from "../../../../scripts/swift.ts";
import { openCipher } from "../../../platform/cipher.ts";
import { readConfig } from "../../../platform/settings/config.ts";
import { buildTracking } from "../../../testing/mlflow-client.ts";
import { HttpProxy } from "../../../testing/services/http-proxy.ts";
import { TestSwift } from "../../../testing/services/swift.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { createArtifacts } from "../artifacts-service.ts";
import { createBucketStore } from "./bucket-store.ts";

describe.skipIf(!hasSwift())("artefacts in an S3 bucket", { timeout: 60_000 }, () => {
  let swift: TestSwift;
  let proxy: HttpProxy;
  let server: TestServer;
  let bucket: string;
  let tracking: Awaited<ReturnType<typeof buildTracking>>;
  let root: string;
  beforeAll(async () => {
    swift = await TestSwift.open();
    proxy = await HttpProxy.open(swift.url);
    server = await startTestServer({ artifacts: readConfig({ MIRANDA_BUCKET_PRIVATE: "1" }).artifacts });
  });
  beforeEach(async () => {
    proxy.reset();
    bucket = await swift.makeBucket();
    tracking = await buildTracking(server);
    root = `1/${tracking.run}/artifacts`;
  });
  afterAll(async () => {
    await server.close();
    proxy.close();
    await swift.close();
  });

  const at = () => `/api/v3/projects/${tracking.projectId}/artifact_bucket`;
  const form = (more: Record<string, string> = {}) => ({
    ...{ endpoint: proxy.url, region: swift.region, bucket, prefix: "trained/models" },
    ...{ access_key: swift.accessKey, secret_key: swift.secretKey },
    ...more,
  });
  const use = async (more: Record<string, string> = {}) => {
    const answer = await tracking.owner.put(at(), form(more));
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.json<ArtifactBucket>();
  };
  const put = (name: string, content: string | Buffer) => tracking.mlflow.putFile(`${root}/${name}`, content);
  const read = async (name: string) => (await tracking.mlflow.getFile(`${root}/${name}`)).text;
  const onDisk = async () =>
    (
      await readdir(join(server.dataFolder, "artifacts", tracking.projectId), { recursive: true }).catch(() => [])
    ).filter((name) => /[0-9a-f]{64}$|\.part$/.test(name));
  const openStore = async (more: { allowsPrivate?: boolean; patience?: number } = {}) => {
    const cipher = await openCipher(server.dataFolder, undefined);
    return createBucketStore({ db: server.db, cipher, allowsPrivate: true, ...more });
  };
  const openArtifacts = async () => {
    const settings = { projectBytes: 1e9, trashDays: 30, diskReserveBytes: 0 };
    return createArtifacts({ db: server.db, dataFolder: server.dataFolder, buckets: await openStore(), settings });
  };
  /** As an hour later. */
  const sweep = async (patience?: number) => {
    await sql`update artifact_removals set due_at = now() - interval '1 second'`.execute(server.db);
    const store = await openStore(patience === undefined ? {} : { patience });
    for await (const _ of store.sweep());
    store.close();
  };

  it("are stored there after the owner set the bucket and it was tested; no answer has its secret key", async () => {
    const { owner } = tracking;
    expect((await owner.get(at())).json()).toMatchObject({ current: null, on_disk: { files: 0 } });
    const refusals: [Record<string, string>, string][] = [
      [{ secret_key: "wrong" }, "The secret key does not belong to the access key."],
      [{ access_key: "nobody" }, "The bucket cannot be used."],
      [{ bucket: "there-is-none" }, "There is no bucket of this name."],
      [{ endpoint: "http://127.0.0.1:9" }, "Nothing answers at that address."],
      [{ endpoint: server.url }, "What answers there is not S3"],
      [{ endpoint: "ftp://x" }, "An endpoint is an http or https address"],
      [{ prefix: "../up" }, "A prefix is a path"],
      [{ secret_key: "" }, "Secret key is required."],
      [{ access_key: "a b" }, "Access key has letters"],
    ];
    for (const [wrong, words] of refusals) {
      const refused = await owner.put(at(), form(wrong));
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(words)]);
    }
    expect((await owner.get(at())).json()).toMatchObject({ current: null });

    const saved = await owner.put(at(), form());
    expect(saved.json()).toMatchObject({ current: { bucket, prefix: "trained/models", access_key: swift.accessKey } });
    expect(saved.text).not.toContain(swift.secretKey);
    const { secret_key } = await server.db
      .selectFrom("artifact_buckets")
      .select("secret_key")
      .where("project_id", "=", tracking.projectId)
      .executeTakeFirstOrThrow();
    expect(secret_key.includes(swift.secretKey)).toBe(false);
    // The test file is gone, and an empty secret key keeps the old one.
    expect(await swift.keys(bucket)).toEqual([]);
    expect((await owner.put(at(), form({ secret_key: "" }))).status).toBe(200);
  });

  it("can be small or large, and nothing stays on the disk", async () => {
    await use();
    const large = randomBytes(40 * 1024 * 1024);
    expect((await put("MLmodel", "flavors: {}")).status).toBe(200);
    expect((await put("empty", "")).status).toBe(200);
    expect((await put("large", large)).status).toBe(200);
    expect(proxy.count("PUT", "partNumber=")).toBe(3);
    const keys = await swift.keys(bucket);
    expect(keys).toHaveLength(3);
    expect(keys.every((key) => key.startsWith(`trained/models/${tracking.projectId}/`))).toBe(true);
    expect([await onDisk(), await swift.uploads(bucket)]).toEqual([[], 0]);
    expect([await read("MLmodel"), await read("empty")]).toEqual(["flavors: {}", ""]);
    const back = await fetch(`${server.url}${tracking.mlflow.files}/artifacts/${root}/large`, {
      headers: { authorization: `Bearer ${tracking.token}` },
    });
    expect(Buffer.from(await back.arrayBuffer()).equals(large)).toBe(true);
    const part = await tracking.mlflow.getFile(`${root}/MLmodel`, { range: "bytes=2-4" });
    expect([part.status, part.text]).toEqual([206, "avo"]);
    // A range that ends after the file, as previews ask for.
    const artifacts = await openArtifacts();
    const begin = async (name: string) => {
      const file = await artifacts.get(tracking.projectId, `${root}/${name}`);
      return text(await file.open({ start: 0, end: 9_999 }));
    };
    expect([await begin("MLmodel"), await begin("empty")]).toEqual(["flavors: {}", ""]);
    await artifacts.close();
    const stored = (await tracking.owner.get(at())).json<ArtifactBucket>();
    expect(stored.in_bucket).toEqual({ files: 3, bytes: large.length + 11 });
    expect(stored.on_disk).toEqual({ files: 0, bytes: 0 });
  });

  it("leave the bucket an hour after they were removed or stored again", async () => {
    await use();
    await put("a", "same");
    await put("b", "same");
    expect(await swift.keys(bucket)).toHaveLength(2);
    await sweep();
    expect(await swift.keys(bucket)).toHaveLength(1);
    expect([await read("a"), await read("b")]).toEqual(["same", "same"]);
    // A deleted project leaves nothing in its bucket.
    await tracking.owner.delete(`/api/v3/projects/${tracking.projectId}`);
    await sql`delete from artifacts where project_id = ${tracking.projectId}`.execute(server.db);
    await sql`delete from artifact_contents where project_id = ${tracking.projectId}`.execute(server.db);
    await sql`delete from projects where id = ${tracking.projectId}`.execute(server.db);
    await sweep();
    expect(await swift.keys(bucket)).toEqual([]);
    expect(await server.db.selectFrom("artifact_buckets").selectAll().where("bucket", "=", bucket).execute()).toEqual(
      [],
    );
  });

  it("leave nothing in the bucket when an upload is cut off", async () => {
    await use();
    const sent = request(`${server.url}${tracking.mlflow.files}/artifacts/${root}/cut`, {
      method: "PUT",
      headers: { authorization: `Bearer ${tracking.token}`, "content-length": 60 * 1024 * 1024 },
    });
    sent.on("error", () => undefined);
    sent.write(randomBytes(40 * 1024 * 1024));
    await expect.poll(() => proxy.count("PUT", "partNumber="), { timeout: 20_000 }).toBeGreaterThan(0);
    sent.destroy();
    const left = () => server.db.selectFrom("artifact_removals").selectAll().execute();
    await expect.poll(left, { timeout: 20_000 }).toEqual([]);
    expect([await swift.keys(bucket), await swift.uploads(bucket), await onDisk()]).toEqual([[], 0, []]);
    expect((await tracking.mlflow.listFiles(root)).json()).toEqual({});
  });

  it("stay in the bucket once they have a row, whatever fails afterwards", async () => {
    await use();
    const store = await openStore();
    const path = join(server.dataFolder, "one");
    await writeFile(path, "1");
    for (const isStored of [true, false]) {
      const upload = await store.begin(tracking.projectId, 1);
      upload?.follow(path);
      await upload?.end(1);
      if (isStored) await server.db.transaction().execute(async (trx) => upload?.keep(trx));
      await upload?.drop();
      expect(await swift.keys(bucket)).toHaveLength(1);
    }
    store.close();
  });

  it("that a killed server had begun to send are removed from the bucket", async () => {
    await use();
    const { id } = await server.db
      .selectFrom("artifact_buckets")
      .select("id")
      .where("bucket", "=", bucket)
      .executeTakeFirstOrThrow();
    const begun = await swift.request("POST", `${bucket}/trained/models/x/1`, { uploads: "" });
    const upload_id = /<UploadId>([^<]+)/.exec(begun.text)?.[1] ?? "";
    await server.db
      .insertInto("artifact_removals")
      .values({ bucket_id: id, object: "x/1", upload_id, due_at: new Date() })
      .execute();
    expect(await swift.uploads(bucket)).toBe(1);
    await sweep();
    expect(await swift.uploads(bucket)).toBe(0);
  });

  it("are removed from other buckets while one hangs or breaks off", async () => {
    await use();
    await put("a", "behind the proxy");
    const other = await swift.makeBucket();
    await use({ endpoint: swift.url, bucket: other });
    await put("b", "in the other");
    for (const name of ["a", "b"]) await tracking.mlflow.deleteFile(`${root}/${name}`);
    await sql`delete from artifact_contents where project_id = ${tracking.projectId}`.execute(server.db);
    const left = async () =>
      (
        await sql<{ bucket: string }>`select bucket from artifact_removals join artifact_buckets on id = bucket_id
          where project_id = ${tracking.projectId} order by created_at`.execute(server.db)
      ).rows.map((row) => row.bucket);
    expect(await left()).toEqual([bucket, other]);
    proxy.answer = () => new Promise(() => undefined);
    await sweep(500);
    expect([await swift.keys(bucket), await swift.keys(other)]).toEqual([[expect.any(String)], []]);
    expect(await left()).toEqual([bucket]);
    proxy.answer = () => ({ status: 200, headers: { "content-length": "1000" }, body: "x".repeat(10), cutAfter: 10 });
    await sweep(500);
    expect(await left()).toEqual([bucket]);
    proxy.reset();
    await sweep();
    expect([await swift.keys(bucket), await left()]).toEqual([[], []]);
  });

  it("are not listed when the bucket fails, and the client is told", async () => {
    await use();
    await put("before", "stored");
    proxy.answer = () => ({ status: 503, body: "<Error><Code>SlowDown</Code></Error>" });
    const refused = await put("x", "y");
    expect([refused.status, refused.json()]).toEqual([
      503,
      {
        error_code: "TEMPORARILY_UNAVAILABLE",
        message: "The project's bucket cannot be used now. Its server failed (503 SlowDown).",
      },
    ]);
    expect((await tracking.mlflow.getFile(`${root}/before`)).status).toBe(503);
    proxy.reset();
    expect(await read("before")).toBe("stored");
    expect((await tracking.mlflow.listFiles(root)).json()).toMatchObject({ files: [{ path: "before" }] });
    // A single failure is retried.
    let failures = 1;
    proxy.answer = () => (failures-- > 0 ? { status: 500 } : undefined);
    expect((await put("x", "y")).status).toBe(200);
    for (const key of await swift.keys(bucket)) await swift.request("DELETE", `${bucket}/${key}`);
    const lost = await tracking.mlflow.getFile(`${root}/x`);
    expect([lost.status, lost.text]).toEqual([404, expect.stringContaining(errors.artifact_lost)]);
    // When it is stored again, it can be read again.
    await put("x", "y");
    expect(await read("x")).toBe("y");
  });

  it("stay where they are when another place is set", async () => {
    await put("first", "on the disk");
    await use();
    await put("second", "in the bucket");
    const other = await swift.makeBucket();
    await use({ bucket: other });
    await put("third", "in the other");
    const left = (await tracking.owner.delete(at())).json<ArtifactBucket>();
    expect(left).toMatchObject({ current: null, in_others: { files: 2 }, on_disk: { files: 1 } });
    await put("fourth", "on the disk again");
    expect(await Promise.all(["first", "second", "third", "fourth"].map(read))).toEqual([
      ...["on the disk", "in the bucket", "in the other", "on the disk again"],
    ]);
    expect([(await swift.keys(bucket)).length, (await swift.keys(other)).length]).toEqual([1, 1]);
    expect(await onDisk()).toHaveLength(2);
    await sweep();
    expect(await read("second")).toBe("in the bucket");
  });

  it("go to a private address only when the operator allows it, whatever its name", async () => {
    const store = await openStore({ allowsPrivate: false });
    const { port } = new URL(swift.url);
    const place = { region: "", bucket, prefix: "", keys: { access: swift.accessKey, secret: swift.secretKey } };
    for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "169.254.169.254", "2130706433"])
      await expect(store.try({ ...place, endpoint: `http://${host}:${port}` })).rejects.toThrow(
        "That address is private.",
      );
    store.close();
  });
});
