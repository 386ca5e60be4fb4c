import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { hasSwift } from "../../../scripts/swift.ts";
import { BucketBench } from "../../testing/services/bucket-bench.ts";
import type { HttpProxy } from "../../testing/services/http-proxy.ts";
import { processesOf } from "../../testing/engine-under-test.ts";
import type { TestSwift } from "../../testing/services/swift.ts";

const denied = { status: 403, body: "<Error><Code>AccessDenied</Code></Error>" };
const slowDown = { status: 503, body: "<Error><Code>SlowDown</Code></Error>" };

describe.skipIf(!hasSwift())("an S3 bucket", { timeout: 60_000 }, () => {
  let one: BucketBench;
  let swift: TestSwift;
  let proxy: HttpProxy;
  let bucket: string;
  beforeAll(async () => {
    one = await BucketBench.open({ MIRANDA_PROCESSOR_FILES: "10", MIRANDA_GRACE_SECONDS: "20" });
    ({ swift, proxy } = one);
  });
  beforeEach(async () => {
    await one.reset();
    ({ bucket } = one);
  });
  afterAll(() => one?.close());

  /** The copies of buckets in the session's folder, and their files. */
  async function copies(): Promise<string[]> {
    const folder = join(one.server.dataFolder, "jobs", one.bench.jobId, "work", "s3");
    const names = await readdir(folder, { recursive: true });
    return names.filter((name) => name.includes("/files/")).map((name) => name.replace(/^.*\/files\//, ""));
  }

  it("is asked again when it is busy or disconnects", async () => {
    await swift.put(bucket, "a", "content");
    let left = 2;
    proxy.answer = ({ method, path }) => {
      if (left-- <= 0) return undefined;
      if (method === "PUT") return slowDown;
      return path.endsWith("/a")
        ? { status: 200, headers: { "content-length": "7" }, body: "content", cutAfter: 3 }
        : slowDown;
    };
    const first = await one.run("(storage() / 'b').write_text((storage() / 'a').read_text())");
    expect(first).toMatchObject({ errors: [], exceptions: [] });
    left = 1;
    proxy.requests.length = 0;
    await one.run("(storage() / 'c').write_text((storage() / 'b').read_text())");
    left = 1;
    proxy.answer = ({ method }) => (method === "PUT" && left-- > 0 ? slowDown : undefined);
    await one.run("(storage() / 'd').write_text((storage() / 'c').read_text())");
    expect(await swift.keys(bucket)).toEqual(["a", "b", "c", "d"]);
    expect(await swift.get(bucket, "d")).toBe("content");
  });

  it("that refuses a file fails the run with its name, and the file is stored next time", async () => {
    proxy.answer = ({ method }) => (method === "PUT" ? denied : undefined);
    const ran = await one.run("(storage() / 'tides.csv').write_text('1,2')", "print('written')");
    const words = `s3://${bucket}: tides.csv could not be stored: access denied: the keys may not write files.`;
    expect(ran).toMatchObject({ printed: ["written"], errors: [words] });
    expect(ran.exceptions.map(({ wob_key, traceback }) => [wob_key, traceback.trim()])).toEqual([
      [one.node, `miranda.StorageError: ${words}`],
    ]);
    // Unsaved files outlive even the session.
    const { jobId } = one.bench;
    await one.bench.until("stop", "", "EXITED");
    await expect.poll(() => processesOf(jobId)).toEqual([]);
    expect(await copies()).toEqual(["tides.csv"]);

    await one.bench.start();
    proxy.answer = ({ method }) => (method === "PUT" ? denied : undefined);
    await one.run("(storage() / 'tides.csv').write_text('1,2')");
    proxy.reset();
    await one.bench.code(
      one.node,
      "from miranda import *\n\nclass Script(Node):\n    def run(self): print(storage() is not None)\n",
    );
    expect(await one.run()).toMatchObject({ printed: ["True"], errors: [], exceptions: [] });
    expect(await swift.get(bucket, "tides.csv")).toBe("1,2");
    // A session that stored everything leaves nothing on the disk.
    await one.bench.until("stop", "", "EXITED");
    const ended = one.bench.jobId;
    await expect.poll(() => processesOf(ended)).toEqual([]);
    expect(await copies()).toEqual([]);
    await one.bench.start();
  });

  it("that fails at the end of a run fails the run, although every node succeeded", async () => {
    await one.run("(storage() / 'a').write_text('1')");
    proxy.answer = ({ method, path }) => (method === "PUT" && path.endsWith("/late") ? denied : undefined);
    const ran = await one.run("self.file = open(storage() / 'late', 'w')", "self.file.write('x')", "self.file.flush()");
    expect(ran.errors).toEqual([
      `s3://${bucket}: late could not be stored: access denied: the keys may not write files.`,
    ]);
    expect(ran.exceptions).toHaveLength(1);
    proxy.reset();
    await one.run("self.file = None");
    expect(await swift.get(bucket, "late")).toBe("x");
  });

  it("cannot write outside its folder, and invalid file names are reported and skipped", async () => {
    const long = "x".repeat(300);
    const hostile = ["../evil", "/absolute", "a//b", "a/./b", "a/../../../evil", `deep/${long}`];
    for (const key of hostile) await swift.put(bucket, key, "evil");
    for (const folder of ["marker/", "below/"]) await swift.put(bucket, folder, "");
    await swift.put(bucket, "dir", "file");
    await swift.put(bucket, "dir/below", "both file and folder");
    await swift.put(bucket, "fine", "fine");
    const ran = await one.run(
      "print(sorted(str(path.relative_to(storage())) for path in storage().rglob('*')))",
      "print(sorted(path.name for path in storage().parent.parent.rglob('evil')))",
    );
    expect(ran).toMatchObject({ printed: ["['dir', 'fine']", "[]"], errors: [], exceptions: [] });
    expect(ran.warnings).toHaveLength(1);
    expect(ran.warnings[0]).toContain(`s3://${bucket}: left out, since they cannot be files here: `);
    for (const key of ["../evil", "/absolute", "a//b", "dir/below"]) expect(ran.warnings[0]).toContain(`'${key}'`);
    // Nothing was stored again or deleted.
    expect([proxy.count("PUT"), proxy.count("DELETE")]).toEqual([0, 0]);
  });

  it("with too many files is refused, and so is a folder with too many", async () => {
    for (const name of "abcdefghijk") await swift.put(bucket, name, name);
    expect((await one.run("storage()")).errors).toEqual([
      `s3://${bucket}: it holds more than 10 files; name a prefix with fewer.`,
    ]);
    await one.set({ prefix: "below" });
    const ran = await one.run("for at in range(11): (storage() / str(at)).write_text('x')");
    expect(ran.errors).toEqual([`s3://${bucket}/below: nothing is stored: the folder has more than 10 files.`]);
    expect(await swift.keys(bucket)).toHaveLength(11);
  });

  it("keeps nothing of an interrupted upload, and no process is left", async () => {
    proxy.answer = ({ method, path }) =>
      method === "PUT" && path.includes("partNumber=2") ? new Promise<undefined>(() => undefined) : undefined;
    await one.bench.code(
      one.node,
      "from miranda import *\n\nclass Script(Node):\n    def run(self):\n        with open(storage() / 'big', 'wb') as file: file.truncate(80 << 20)\n",
    );
    await one.bench.until("start", "-1", "RUNNING");
    await expect.poll(() => proxy.count("PUT", "partNumber=2"), { timeout: 20_000 }).toBe(1);
    expect(await swift.uploads(bucket)).toBe(1);
    const { jobId } = one.bench;
    await one.bench.until("stop", "", "EXITED");
    await expect.poll(() => processesOf(jobId)).toEqual([]);
    expect([await swift.keys(bucket), await swift.uploads(bucket)]).toEqual([[], 0]);
    await one.bench.start();
  });

  it("is reached through the proxy of the environment", async () => {
    process.env["http_proxy"] = proxy.url;
    process.env["no_proxy"] = "elsewhere.invalid";
    try {
      await one.restart();
    } finally {
      delete process.env["http_proxy"];
      delete process.env["no_proxy"];
    }
    // Not by its number: the worker's own loopback address never goes through a proxy.
    const named = swift.url.replace("127.0.0.1", "localhost");
    await one.set({ endpoint: named });
    expect(await one.run("(storage() / 'a').write_text('x')")).toMatchObject({ errors: [], exceptions: [] });
    expect(await swift.get(bucket, "a")).toBe("x");
    expect(proxy.requests.map(({ method, path }) => `${method} ${path}`)).toContain(`PUT ${named}/${bucket}/a`);
    await one.restart();
  });

  it("never shows its keys, and only people who may change the graph set it", async () => {
    const ran = await one.run(
      "import os",
      "(storage() / 'a').write_text('x')",
      "print(secret('S3_ACCESS'), secret('S3_SECRET'))",
      "print([os.path.basename(path) for path, _, _ in os.walk(storage().parent)])",
      "print(*(open(path).read() for path in storage().parent.glob('journal')))",
      "print(dict(os.environ))",
    );
    expect(ran.printed[0]).toBe("•••• ••••");
    const { bench, server } = one;
    const reader = await server.signUp();
    const graph = await reader.get(`/api/v3/graphs/${bench.graphId}/graph`);
    expect(graph.text).toContain("S3_SECRET");
    const seen = [graph.text, JSON.stringify(bench.listener.received), JSON.stringify(await bench.logs())].join("\n");
    for (const key of [swift.secretKey, swift.accessKey]) expect(seen).not.toContain(key);
    const form = { body: JSON.stringify({ endpoint: "http://mine.example.org" }) };
    const path = `/api/v3/objects/${one.policy}`;
    expect((await server.anonymous().patch(path, form)).status).toBe(401);
    expect((await reader.patch(path, form)).status).toBe(403);
    await bench.owner.patch(`/api/v3/projects/${bench.projectId}`, { visibility: "private" });
    expect((await reader.patch(path, form)).status).toBe(404);
    await bench.owner.patch(`/api/v3/projects/${bench.projectId}`, { visibility: "public" });
    const folder = join(server.dataFolder, "jobs", bench.jobId);
    for (const name of await readdir(folder, { recursive: true })) {
      const content = await readFile(join(folder, name), "utf8").catch(() => "");
      expect(content).not.toContain(swift.secretKey);
    }
  });
});
