import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { hasSwift } from "../../../scripts/swift.ts";
import { BucketBench } from "../../testing/services/bucket-bench.ts";
import type { HttpProxy } from "../../testing/services/http-proxy.ts";
import type { TestSwift } from "../../testing/services/swift.ts";

describe.skipIf(!hasSwift())("a storage policy with an S3 bucket", { timeout: 60_000 }, () => {
  let one: BucketBench;
  let swift: TestSwift;
  let proxy: HttpProxy;
  let bucket: string;
  beforeAll(async () => {
    one = await BucketBench.open({ MIRANDA_PROCESSOR_DISK_GB: "0.1" });
    ({ swift, proxy } = one);
    await one.bench.owner.post("/api/v3/secrets", { key: "WRONG", value: "not-the-key-at-all" });
  });
  beforeEach(async () => {
    await one.reset();
    ({ bucket } = one);
  });
  afterAll(() => one?.close());

  const stored = (): number => proxy.count("PUT");

  describe("is a folder", () => {
    it("that is kept for the next session, below its prefix, with any valid file name", async () => {
      await one.set({ prefix: "some data/ü+" });
      await swift.put(bucket, "elsewhere.txt", "not ours");
      const names = ["plain", "empty", "a b+c%20&=?#'\"\\", "ordner/tiefer/größe 日本.txt", "new\nline"];
      const first = await one.run(
        `names = ${JSON.stringify(names)}`,
        "print(sorted(storage().iterdir()))",
        "for name in names:",
        "    path = storage() / name",
        "    path.parent.mkdir(parents=True, exist_ok=True)",
        "    path.write_text('' if name == 'empty' else name)",
      );
      expect(first).toMatchObject({ printed: ["[]"], warnings: [], errors: [], exceptions: [] });
      expect(first.infos).toEqual([`s3://${bucket}/some data/ü+: stored 5 files, 60 bytes`]);
      const keys = names.map((name) => `some data/ü+/${name}`);
      expect((await swift.keys(bucket)).toSorted()).toEqual(["elsewhere.txt", ...keys].toSorted());
      for (const name of names)
        expect(await swift.get(bucket, `some data/ü+/${name}`)).toBe(name === "empty" ? "" : name);

      await one.restart();
      const second = await one.run(
        `names = ${JSON.stringify(names)}`,
        "print([(storage() / name).read_text() == ('' if name == 'empty' else name) for name in names])",
        "print(len([path for path in storage().rglob('*') if path.is_file()]))",
      );
      expect(second.printed).toEqual(["[True, True, True, True, True]", "5"]);
      expect(stored()).toBe(5);
    });

    it("of which only changes are stored, and deleted files are removed", async () => {
      await one.run("for name in 'abc': (storage() / name).write_text(name)");
      expect(stored()).toBe(3);
      await one.run("print((storage() / 'a').read_text())", "(storage() / 'b').write_text('B')");
      expect(stored()).toBe(4);
      const { infos } = await one.run("(storage() / 'c').rename(storage() / 'd')", "(storage() / 'a').unlink()");
      expect(infos).toEqual([`s3://${bucket}: stored 1 file, 1 byte`, `s3://${bucket}: deleted 2 files`]);
      expect(await swift.keys(bucket)).toEqual(["b", "d"]);
      expect([await swift.get(bucket, "b"), await swift.get(bucket, "d")]).toEqual(["B", "c"]);
    });

    it("that follows changes by others in the bucket, and the last writer wins", async () => {
      await one.run("for name in 'abc': (storage() / name).write_text(name)");
      await swift.put(bucket, "a", "theirs");
      await swift.put(bucket, "new", "theirs too");
      await swift.request("DELETE", `${bucket}/b`);
      await swift.put(bucket, "c", "c of theirs");
      const { printed } = await one.run(
        "print(sorted((path.name, path.read_text()) for path in storage().iterdir()))",
        "(storage() / 'c').write_text('ours')",
      );
      expect(printed).toEqual(["[('a', 'theirs'), ('c', 'c of theirs'), ('new', 'theirs too')]"]);
      expect(await swift.get(bucket, "c")).toBe("ours");
      // Another writer replaces the file that we delete: theirs stays.
      proxy.answer = async ({ method, path }) => {
        if (method === "HEAD" && path.endsWith("/a")) await swift.put(bucket, "a", "newer");
        return undefined;
      };
      const { warnings } = await one.run("(storage() / 'a').unlink()");
      expect(warnings).toEqual([`s3://${bucket}: a was deleted here but has changed in the bucket, and stays there`]);
      expect(await swift.get(bucket, "a")).toBe("newer");
    });

    it("that loses nothing in the bucket when it is deleted itself", async () => {
      await one.run("(storage() / 'a').write_text('a')");
      const { warnings } = await one.run(
        "import shutil",
        "shutil.rmtree(storage())",
        "(storage() / 'b').write_text('b')",
      );
      expect(warnings).toEqual([`s3://${bucket}: the folder itself was deleted; nothing is deleted in the bucket`]);
      expect(await swift.keys(bucket)).toEqual(["a", "b"]);
    });

    it("whose links and other special files are reported and skipped", async () => {
      const { warnings, exceptions } = await one.run(
        "import os",
        "(storage() / 'a').write_text('a')",
        "(storage() / 'link').symlink_to('/etc/passwd')",
        "os.mkfifo(storage() / 'pipe')",
      );
      expect(warnings).toEqual([`s3://${bucket}: not stored, since they are links or no files: 'link', 'pipe'`]);
      expect(exceptions).toEqual([]);
      expect(await swift.keys(bucket)).toEqual(["a"]);
    });

    it("that setup fills and stores too, and a restarted worker knows", async () => {
      const code =
        "from miranda import *\n\nclass Script(Node):\n    def setup(self):\n        (storage() / 'made').write_text('once')\n";
      await one.bench.code(one.node, code);
      await one.bench.until("run-setup", "", "READY");
      expect(await swift.get(bucket, "made")).toBe("once");
      await one.bench.until("restart", "", "READY");
      const { printed, infos } = await one.run("print((storage() / 'made').read_text())");
      expect([printed, infos, stored(), proxy.count("GET", "/made")]).toEqual([["once"], [], 1, 0]);
    });

    it("into which nodes write one after the other, each stored when it is done and not before", async () => {
      const stream = `import time
from miranda import *

class Stream(Node):
    out = Transmitter()
    def run(self):
        with open(storage() / 'half', 'w') as half:
            half.write('ha')
            half.flush()
            self.out.send(1)
            self.out.send(2)
            while not (storage() / 'row2').exists():
                time.sleep(0.01)
            half.write('lf')
`;
      const seen: { path: string; half: string }[] = [];
      proxy.answer = async ({ method, path }) => {
        if (method === "PUT") seen.push({ path, half: (await swift.get(bucket, "half")) ?? "" });
        return undefined;
      };
      await one.bench.code(
        one.node,
        "from miranda import *\n\nclass Script(Node):\n    row = Receiver()\n    def run(self):\n        (storage() / f'row{self.row}').write_text('x')\n",
      );
      const source = await one.bench.node(stream, "Stream");
      await one.bench.edge(one.policy, "storage", source, "storage");
      await one.bench.edge(source, "out", one.node, "row");
      const ran = await one.run();
      expect(ran).toMatchObject({ errors: [], exceptions: [] });
      expect(seen[0]).toEqual({ path: `/${bucket}/row1`, half: "" });
      expect(seen.map(({ path }) => path).toSorted()).toEqual([
        `/${bucket}/half`,
        `/${bucket}/row1`,
        `/${bucket}/row2`,
      ]);
      expect(await swift.get(bucket, "half")).toBe("half");
      await one.bench.owner.delete(`/api/v3/objects/${source}`);
    });

    it("that stores files of any size in parts, never whole in memory", async () => {
      const write = [
        "import hashlib, os, resource",
        "data = os.urandom(1 << 20)",
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss",
        "with open(storage() / 'big', 'wb') as file:",
        "    for at in range(80): file.write(bytes((at,)) + data)",
      ];
      const digest = "print(hashlib.file_digest(open(storage() / 'big', 'rb'), 'sha256').hexdigest())";
      const first = await one.run(...write, digest);
      expect(first).toMatchObject({ errors: [], exceptions: [] });
      expect(proxy.count("PUT", "partNumber")).toBe(3);
      expect([await swift.keys(bucket), await swift.uploads(bucket)]).toEqual([["big"], 0]);
      await one.restart();
      const second = await one.run(
        "import hashlib, resource",
        digest,
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 70_000)",
      );
      expect(second.printed).toEqual([...first.printed, "True"]);
      await swift.put(bucket, "more", "x".repeat(20_000_000));
      const third = await one.run("storage()");
      expect(third.errors).toEqual([`s3://${bucket}: it holds 104 MB, and a session has 100 MB of disk.`]);
    });
  });

  describe("reports what is wrong", () => {
    const failed = { printed: [], infos: [] };

    it.each<[string, Record<string, string>, string]>([
      ["a secret that is not there", { access_key_secret: "NOWHERE" }, "There is no secret 'NOWHERE'."],
      [
        "one secret without the other",
        { secret_key_secret: "" },
        "the storage policy names only one of the two secrets.",
      ],
      [
        "a wrong secret",
        { secret_key_secret: "WRONG" },
        "the secret key in WRONG does not fit the access key in S3_ACCESS.",
      ],
      [
        "another region",
        { region: "us-east-1" },
        "the bucket is in the region eu-test-1, and the policy names us-east-1.",
      ],
      [
        "a port nobody listens at",
        { endpoint: "http://127.0.0.1:1" },
        "http://127.0.0.1:1 cannot be reached: Connection refused.",
      ],
    ])("before anything runs: %s", async (_name, more, words) => {
      await one.set(more);
      const ran = await one.run("print('it runs')");
      expect(ran).toMatchObject({ ...failed, errors: [`s3://${bucket}: ${words}`] });
      expect(ran.exceptions.map(({ wob_key, traceback }) => [wob_key, traceback.trim()])).toEqual([
        [one.node, `miranda.StorageError: s3://${bucket}: ${words}`],
      ]);
      expect((await one.bench.job()).workflow_state).toBe("READY");
    });

    it("with a missing bucket, and with servers that do not speak S3", async () => {
      await one.set({ bucket: "no-such-bucket" });
      expect((await one.run("print('it runs')")).errors).toEqual([
        `s3://no-such-bucket: there is no bucket no-such-bucket at ${proxy.url}.`,
      ]);
      await one.set({});
      const denied = "<Error><Code>AccessDenied</Code><Message>No.</Message></Error>";
      const bomb =
        '<!DOCTYPE a [<!ENTITY b "bbbbbbbb">]><ListBucketResult><Contents><Key>&b;</Key></Contents></ListBucketResult>';
      for (const [answer, words] of [
        [{ status: 200, body: "<!doctype html><title>Hello</title>" }, `${proxy.url} does not answer like S3 (no XML)`],
        [{ status: 200, body: bomb }, `${proxy.url} does not answer like S3 (a document type)`],
        [{ status: 200, body: "<Hello/>" }, `${proxy.url} does not answer like S3 (Hello)`],
        [{ status: 404, body: "Not here." }, `${proxy.url} does not answer like S3 (404 Not Found)`],
        [{ status: 403, body: denied }, "access denied: the keys may not list its files"],
        [
          { status: 301, headers: { "x-amz-bucket-region": "us-west-2" } },
          "the bucket is in the region us-west-2, and the policy names eu-test-1",
        ],
        [
          { status: 307, headers: { location: "http://elsewhere/" } },
          `${proxy.url} sends us elsewhere (http://elsewhere/); check the region and the endpoint`,
        ],
      ] as const) {
        proxy.answer = () => answer;
        const ran = await one.run("print('it runs')");
        expect(ran).toMatchObject({ ...failed, errors: [`s3://${bucket}: ${words}.`] });
      }
      await one.set({ access_key_secret: "", secret_key_secret: "" });
      proxy.answer = () => ({ status: 403, body: denied });
      expect((await one.run("print('it runs')")).errors).toEqual([
        `s3://${bucket}: access denied: the policy names no secrets, and not everybody may list its files.`,
      ]);
    });

    it("to node code, which may handle it and go on", async () => {
      await swift.put(bucket, "a", "a");
      proxy.answer = ({ path }) =>
        path.endsWith("/a") ? { status: 403, body: "<Error><Code>AccessDenied</Code></Error>" } : undefined;
      const ran = await one.run("try: storage()", "except StorageError as error: print(error)");
      const words = `s3://${bucket}: a could not be fetched: access denied: the keys may not read its files.`;
      expect(ran).toMatchObject({ printed: [words], errors: [words], exceptions: [] });
    });
  });
});
