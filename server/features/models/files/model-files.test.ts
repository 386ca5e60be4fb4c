import type { ModelArtifacts } from "@miranda/contract/schemas/models/artifacts.ts";
import type { ModelVersionDetails } from "@miranda/contract/schemas/models/versions.ts";
import { randomBytes } from "node:crypto";
import { readdir, readlink } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fromBuffer, type ZipFile } from "yauzl";

import { buildTracking, type MlflowClient } from "../../../testing/mlflow-client.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../../testing/test-server.ts";
import { giveToken } from "../../../testing/workbench.ts";

let server: TestServer;
let owner: TestAccount;
let mlflow: MlflowClient;
let modelId: string;
let loggedId: string;
let base: string;
const large = randomBytes(1_500_000).fill("x", 0, 1_200_000);

beforeAll(async () => {
  server = await startTestServer();
  let run: string;
  ({ owner, mlflow, run } = await buildTracking(server));
  const { model } = (
    await mlflow.send("POST", "logged-models", { experiment_id: "1", name: "m", source_run_id: run })
  ).json<{
    model: { info: { model_id: string } };
  }>();
  const id = (loggedId = model.info.model_id);
  const files: Record<string, string | Buffer> = {
    MLmodel: "flavors: {}",
    "data/model.pkl": Buffer.from([0x80, 0x04, 0x00]),
    "data/page.html": "<script>alert(1)</script>",
    "data/plot.png": Buffer.from("89504e470d0a1a0a", "hex"),
    "data/deep/er/ü.csv": "a,b\n1,2\n",
    empty: "",
    "large.txt": large,
  };
  for (const [path, content] of Object.entries(files))
    await mlflow.putFile(`1/models/${id}/artifacts/${encodeURI(path)}`, content);
  await mlflow.send("POST", "registered-models/create", { name: "Iris" });
  await mlflow.send("POST", "model-versions/create", { name: "Iris", source: `models:/${id}` });
  await mlflow.send("POST", "model-versions/create", { name: "Iris", source: "s3://bucket/model" });
  // As it is when the logged model was removed.
  await mlflow.send("POST", "model-versions/create", { name: "Iris", source: `models:/${id}` });
  await server.db.updateTable("model_versions").set({ logged_model_id: null }).where("number", "=", 3).execute();
  ({ id: modelId } = await server.db.selectFrom("models").select("id").executeTakeFirstOrThrow());
  base = `/api/v3/models/${modelId}/versions`;
});
afterAll(() => server.close());

const list = async (path: string, version = 1) =>
  (await owner.get(`${base}/${version}/artifacts?path=${encodeURIComponent(path)}`)).json<ModelArtifacts>();
const file = (path: string, preview = "") =>
  owner.get(`${base}/1/artifacts/file?path=${encodeURIComponent(path)}${preview && `&preview=${preview}`}`);

/** Stored files that this process has open. */
async function openFiles(): Promise<string[]> {
  const all = await readdir("/proc/self/fd");
  const paths = await Promise.all(all.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")));
  return paths.filter((path) => path.startsWith(`${server.dataFolder}/`));
}

async function unzipped(bytes: Buffer): Promise<Record<string, string>> {
  const zip = await new Promise<ZipFile>((resolve, reject) =>
    fromBuffer(bytes, { lazyEntries: true }, (error, opened) => (opened ? resolve(opened) : reject(error))),
  );
  const found: Record<string, string> = {};
  const done = new Promise<void>((resolve) => void zip.once("end", resolve));
  zip.on("entry", (entry: { fileName: string }) => {
    zip.openReadStream(entry as never, (_error, stream) => {
      const pieces: Buffer[] = [];
      stream.on("data", (piece: Buffer) => pieces.push(piece));
      stream.on("end", () => {
        found[entry.fileName] = Buffer.concat(pieces).toString("latin1");
        zip.readEntry();
      });
    });
  });
  zip.readEntry();
  await done;
  return found;
}

describe("the files of a version", () => {
  it("are listed folder by folder, folders first", async () => {
    expect(await list("")).toEqual({
      path: "",
      entries: [
        { name: "data", path: "data", folder: true, bytes: null },
        { name: "MLmodel", path: "MLmodel", folder: false, bytes: 11 },
        { name: "empty", path: "empty", folder: false, bytes: 0 },
        { name: "large.txt", path: "large.txt", folder: false, bytes: large.length },
      ],
      bytes: large.length + 11 + 3 + 25 + 8 + 8,
      files: 7,
      elsewhere: null,
    });
    expect((await list("data/deep")).entries).toEqual([
      { name: "er", path: "data/deep/er", folder: true, bytes: null },
    ]);
    expect((await list("data/deep/er")).entries).toMatchObject([{ path: "data/deep/er/ü.csv", bytes: 8 }]);
  });

  it("are elsewhere when a client keeps them in a bucket", async () => {
    expect(await list("", 2)).toEqual({ path: "", entries: [], bytes: 0, files: 0, elsewhere: "s3://bucket/model" });
    expect((await owner.get(`${base}/2/artifacts.zip`)).status).toBe(404);
    const version = async (number: number) => (await owner.get(`${base}/${number}`)).json<ModelVersionDetails>();
    expect(await version(2)).toMatchObject({ elsewhere: "s3://bucket/model", loadable: false });
    expect(await version(1)).toMatchObject({ elsewhere: null });
    expect(await version(3)).toMatchObject({ elsewhere: null, files: 0 });
  });

  it("are downloaded whole", async () => {
    const got = await file("large.txt");
    expect(got.bytes.equals(large)).toBe(true);
    expect(got.headers.get("content-type")).toBe("application/octet-stream");
    expect(got.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''large.txt");
    expect((await file("data/deep/er/ü.csv")).text).toBe("a,b\n1,2\n");
  });

  it("are shown as text, pictures or nothing, and never as a page", async () => {
    const typeOf = async (path: string) => (await file(path, "1")).headers.get("content-type");
    expect(await typeOf("data/page.html")).toBe("text/plain; charset=utf-8");
    expect(await typeOf("MLmodel")).toBe("text/plain; charset=utf-8");
    expect(await typeOf("data/plot.png")).toBe("image/png");
    expect(await typeOf("data/model.pkl")).toBe("application/octet-stream");
    const cut = await file("large.txt", "1");
    expect([cut.bytes.length, cut.headers.get("x-miranda-bytes")]).toEqual([1024 * 1024, `${large.length}`]);
    const empty = await file("empty", "1");
    expect([empty.status, empty.text]).toEqual([200, ""]);
    expect(empty.headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("are one zip, of all or of a folder", async () => {
    const all = await owner.get(`${base}/1/artifacts.zip`);
    expect(all.headers.get("content-disposition")).toContain("Iris-v1.zip");
    expect(all.headers.get("content-length")).toBe(`${all.bytes.length}`);
    const files = await unzipped(all.bytes);
    expect(Object.keys(files)).toHaveLength(7);
    expect(files["MLmodel"]).toBe("flavors: {}");
    expect(files["large.txt"]).toBe(large.toString("latin1"));
    const part = await unzipped((await owner.get(`${base}/1/artifacts.zip?path=data/deep`)).bytes);
    expect(Object.keys(part)).toEqual(["er/ü.csv"]);
  });

  it("are closed when a client leaves in the middle of a zip", async () => {
    await mlflow.putFile(`1/models/${loggedId}/artifacts/huge/weights`, Buffer.alloc(40_000_000));
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${await giveToken(owner)}` };
    const got = await fetch(`${server.url}${base}/1/artifacts.zip?path=huge`, { headers, signal: leaving.signal });
    expect(got.status).toBe(200);
    await expect.poll(openFiles).toHaveLength(1);
    leaving.abort();
    await expect.poll(openFiles).toEqual([]);
    await mlflow.deleteFile(`1/models/${loggedId}/artifacts/huge/weights`);
  });

  it.for(["../MLmodel", "/etc/passwd", "a\\b", "data/../../x", "%2e%2e/x"])(
    "are refused by the path %s",
    async (path) => {
      for (const answer of [
        await file(path),
        await owner.get(`${base}/1/artifacts?path=${encodeURIComponent(path)}`),
        await owner.get(`${base}/1/artifacts.zip?path=${encodeURIComponent(path)}`),
      ])
        expect(answer.status).toBe(400);
    },
  );

  it("are not there for strangers, other versions and unknown files", async () => {
    const stranger = await server.signUp();
    expect((await stranger.get(`${base}/1/artifacts`)).status).toBe(404);
    expect((await stranger.get(`${base}/1/artifacts.zip`)).status).toBe(404);
    expect((await stranger.get(`${base}/1/artifacts/file?path=MLmodel`)).status).toBe(404);
    expect((await owner.get(`${base}/9/artifacts`)).status).toBe(404);
    expect((await file("none")).status).toBe(404);
    expect((await file("data")).status).toBe(404);
  });
});
