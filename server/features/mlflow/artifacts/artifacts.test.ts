import { createHash, randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { newId } from "../../../platform/crypto.ts";
import { readConfig } from "../../../platform/settings/config.ts";
import { buildTracking, MlflowClient, refusalOf } from "../../../testing/mlflow-client.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { giveToken } from "../../../testing/workbench.ts";

const quota = 6_000_000;
let server: TestServer;
let projectId: string;
let token: string;
let run: string;
let runId: string;
let model: string;
let client: MlflowClient;

const folder = () => join(server.dataFolder, "artifacts", projectId);

/** All files of the project on the disk. */
const stored = async () =>
  (await readdir(folder(), { recursive: true, withFileTypes: true }).catch(() => [])).filter((entry) => entry.isFile());
const total = async () =>
  server.db
    .selectFrom("artifact_totals")
    .select(["bytes", "files"])
    .where("project_id", "=", projectId)
    .executeTakeFirst();

beforeAll(async () => {
  const { artifacts } = readConfig({});
  server = await startTestServer({ artifacts: { ...artifacts, projectBytes: quota } });
  ({ projectId, token, run, runId, mlflow: client } = await buildTracking(server));
  model = `m-${randomBytes(16).toString("hex")}`;
  await server.db
    .insertInto("logged_models")
    .values({ id: model, project_id: projectId, experiment: 1, run_id: runId, name: "m" })
    .execute();
});
afterAll(() => server.close());

const at = (path: string) => `1/${run}/artifacts${path === "" ? "" : `/${path}`}`;
const ofModel = (path: string) => `1/models/${model}/artifacts/${path}`;

describe("the proxy of artefacts", () => {
  it("stores files and gives them back, also in parts", async () => {
    expect(await client.putFile(at("d.json"), '{"k": 1}')).toMatchObject({ status: 200, text: "{}" });
    const got = await client.getFile(at("d.json"));
    expect([got.status, got.text]).toEqual([200, '{"k": 1}']);
    expect(got.headers.get("content-type")).toBe("application/octet-stream");
    expect(got.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''d.json");
    expect(got.headers.get("x-content-type-options")).toBe("nosniff");
    expect(got.headers.get("cache-control")).toBe("no-store");
    const part = await client.getFile(at("d.json"), { range: "bytes=1-3" });
    expect([part.status, part.text, part.headers.get("content-range")]).toEqual([206, '"k"', "bytes 1-3/8"]);
    expect((await client.getFile(at("d.json"), { range: "bytes=-2" })).text).toBe("1}");
    expect((await client.getFile(at("d.json"), { range: "bytes=9-" })).status).toBe(416);
    expect(refusalOf(await client.getFile(at("model")))).toEqual([404, "RESOURCE_DOES_NOT_EXIST"]);
  });

  it("lists a folder by paths relative to it, and nothing for a file or an unknown folder", async () => {
    for (const name of ["MLmodel", "a/x.txt", "a/y/z.txt", "a.txt", "a-b/c", "über/grüße 🙂.txt", "empty"])
      expect((await client.putFile(ofModel(encodeURI(name)), name === "empty" ? "" : name)).status).toBe(200);
    const files = (await client.listFiles(`1/models/${model}/artifacts`)).json<{ files: object[] }>().files;
    expect(files).toEqual([
      { path: "MLmodel", is_dir: false, file_size: 7 },
      { path: "a", is_dir: true },
      { path: "a-b", is_dir: true },
      { path: "a.txt", is_dir: false, file_size: 5 },
      { path: "empty", is_dir: false, file_size: 0 },
      { path: "über", is_dir: true },
    ]);
    expect((await client.listFiles(`1/models/${model}/artifacts/a/`)).json()).toEqual({
      files: [
        { path: "x.txt", is_dir: false, file_size: 7 },
        { path: "y", is_dir: true },
      ],
    });
    expect((await client.listFiles(ofModel("über"))).json<{ files: object[] }>().files).toHaveLength(1);
    expect((await client.getFile(ofModel(encodeURI("über/grüße 🙂.txt")))).text).toBe("über/grüße 🙂.txt");
    expect((await client.getFile(ofModel("empty"))).text).toBe("");
    expect((await client.listFiles(at("d.json"))).json()).toEqual({});
    expect((await client.listFiles(at("nowhere"))).json()).toEqual({});
  });

  it("stores the same content once, and a large file by its hash", async () => {
    const large = randomBytes(2_500_000);
    const before = (await total()) ?? { bytes: 0, files: 0 };
    expect((await client.putFile(at("large.bin"), large)).status).toBe(200);
    expect((await client.putFile(ofModel("again/large.bin"), large)).status).toBe(200);
    expect(await total()).toEqual({ bytes: before.bytes + large.length, files: before.files + 1 });
    const hash = createHash("sha256").update(large).digest("hex");
    expect((await stored()).filter(({ name }) => name === hash)).toHaveLength(1);
    expect((await client.getFile(at("large.bin"))).bytes.equals(large)).toBe(true);

    expect((await client.deleteFile(at("large.bin"))).status).toBe(200);
    expect((await client.getFile(ofModel("again/large.bin"))).bytes.equals(large)).toBe(true);
    expect((await client.deleteFile(ofModel("again"))).status).toBe(200);
    expect(refusalOf(await client.getFile(ofModel("again/large.bin")))).toEqual([404, "RESOURCE_DOES_NOT_EXIST"]);
    expect(refusalOf(await client.deleteFile(ofModel("again")))).toEqual([404, "RESOURCE_DOES_NOT_EXIST"]);
    const { unused_at } = await server.db
      .selectFrom("artifact_contents")
      .select("unused_at")
      .where("sha256", "=", Buffer.from(hash, "hex"))
      .executeTakeFirstOrThrow();
    expect(unused_at).not.toBeNull();
  });

  it("replaces a file that is stored again", async () => {
    await client.putFile(at("twice.txt"), "one");
    await client.putFile(at("twice.txt"), "two!");
    expect((await client.getFile(at("twice.txt"))).text).toBe("two!");
  });

  it("says that it has no presigned downloads, so that clients ask the proxy", async () => {
    expect(refusalOf(await client.sendFile("GET", `presigned/${at("x")}`))).toEqual([501, "NOT_IMPLEMENTED"]);
  });
});

describe("the proxy of artefacts refuses", () => {
  it.for([
    ["a path that climbs out", "..%2f..%2fetc/passwd"],
    ["one that climbs in the middle", "a%2f..%2f..%2fb"],
    ["one that is encoded twice", "a/%252e%252e/b"],
    ["one that is encoded three times", "a/%25252e%25252e%25252fb"],
    ["a backslash", "a%5c..%5cb"],
    ["a null character", "a%00b"],
    ["a line break", "a%0ab"],
    ["an empty name", "a//b"],
    ["2,000 folders", "a/".repeat(2_000) + "b"],
    ["100 folders", "a/".repeat(100) + "b"],
    ["a name of 256 bytes", "n".repeat(256)],
    ["a path of 5,000 bytes", Array.from({ length: 25 }, () => "n".repeat(200)).join("/")],
  ] as const)("%s", async ([_what, path]) => {
    const before = await stored();
    for (const answer of [
      await client.putFile(at(path), "x"),
      await client.getFile(at(path)),
      await client.deleteFile(at(path)),
    ]) {
      expect([400, 404]).toContain(answer.status);
      expect(answer.json()).toMatchObject({ error_code: expect.stringMatching(/INVALID_PARAMETER_VALUE|BAD_REQUEST/) });
    }
    expect(await stored()).toEqual(before);
  });

  it.for([
    ["a list that climbs out", "../x"],
    ["a list of an absolute path", "/etc"],
    ["a list with a dot", "a/./b"],
    ["a list of a drive", "C:/x"],
    ["a list with a backslash", "a\\..\\b"],
    ["an endless path", "a".repeat(5_000)],
  ] as const)("%s", async ([_what, path]) => {
    expect(refusalOf(await client.listFiles(path))).toEqual([400, "INVALID_PARAMETER_VALUE"]);
  });

  it("a file outside of runs and models, and one of a run that is not there", async () => {
    expect(refusalOf(await client.putFile("x.txt", "x"))).toEqual([400, "INVALID_PARAMETER_VALUE"]);
    expect(refusalOf(await client.putFile("1/models/x.txt", "x"))).toEqual([400, "INVALID_PARAMETER_VALUE"]);
    expect(refusalOf(await client.putFile(at(""), "x"))).toEqual([400, "INVALID_PARAMETER_VALUE"]);
    const unknown = newId().replaceAll("-", "");
    expect(refusalOf(await client.putFile(`1/${unknown}/artifacts/x`, "x"))).toEqual([404, "RESOURCE_DOES_NOT_EXIST"]);
    expect(refusalOf(await client.putFile(at("x").replace("1/", "2/"), "x"))).toEqual([404, "RESOURCE_DOES_NOT_EXIST"]);
    expect(refusalOf(await client.deleteFile("1"))).toEqual([400, "INVALID_PARAMETER_VALUE"]);
  });

  it("a file where a folder is, and the other way round", async () => {
    await client.putFile(at("folder/file"), "x");
    expect(refusalOf(await client.putFile(at("folder"), "x"))).toEqual([400, "INVALID_PARAMETER_VALUE"]);
    expect(refusalOf(await client.putFile(at("folder/file/inner"), "x"))).toEqual([400, "INVALID_PARAMETER_VALUE"]);
  });

  it("what is larger than the project's quota, before and after it is read, and gives up what is unused first", async () => {
    const many = Buffer.alloc(quota + 1);
    expect(refusalOf(await client.putFile(at("many"), many))).toEqual([413, "RESOURCE_LIMIT_EXCEEDED"]);
    // Without a length it is refused when it has arrived.
    const answer = await fetch(`${server.url}${client.files}/artifacts/${at("many")}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token}` },
      body: new ReadableStream({
        pull(stream) {
          stream.enqueue(new Uint8Array(1_000_000));
        },
      }),
      duplex: "half",
    });
    expect(answer.status).toBe(413);
    expect((await client.listFiles(at(""))).text).not.toContain("many");
    const first = randomBytes(3_500_000);
    expect((await client.putFile(at("first"), first)).status).toBe(200);
    expect(refusalOf(await client.putFile(at("second"), randomBytes(3_500_000)))).toEqual([
      413,
      "RESOURCE_LIMIT_EXCEEDED",
    ]);
    await client.deleteFile(at("first"));
    expect((await client.putFile(at("second"), randomBytes(3_500_000))).status).toBe(200);
    await client.deleteFile(at("second"));
  });

  it("a wrong token with 401, another project with 404, a viewer's writing with 403", async () => {
    const wrong = new MlflowClient(server, projectId, "nonsense");
    expect(refusalOf(await wrong.getFile(at("d.json")))).toEqual([401, "UNAUTHENTICATED"]);
    const stranger = await server.signUp();
    const theirs = await giveToken(stranger);
    const other = new MlflowClient(server, projectId, theirs);
    expect(refusalOf(await other.getFile(at("d.json")))).toEqual([404, "RESOURCE_DOES_NOT_EXIST"]);
    expect(refusalOf(await other.putFile(at("d.json"), "x"))).toEqual([404, "RESOURCE_DOES_NOT_EXIST"]);
    await server.db.updateTable("projects").set({ visibility: "public" }).where("id", "=", projectId).execute();
    expect((await other.getFile(at("d.json"))).status).toBe(200);
    expect(refusalOf(await other.putFile(at("d.json"), "x"))).toEqual([403, "PERMISSION_DENIED"]);
    expect(refusalOf(await other.deleteFile(at("d.json")))).toEqual([403, "PERMISSION_DENIED"]);
    await server.db.updateTable("projects").set({ visibility: "private" }).where("id", "=", projectId).execute();
    const nowhere = new MlflowClient(server, "nonsense", token);
    expect(refusalOf(await nowhere.getFile(at("d.json")))).toEqual([404, "RESOURCE_DOES_NOT_EXIST"]);
  });
});

it("lists nothing of an upload that is cut in the middle, and keeps no file of it", async () => {
  const drafts = async () => (await stored()).filter(({ name }) => name.endsWith(".part")).length;
  expect(await drafts()).toBe(0);
  const { port } = new URL(server.url);
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(
    `PUT ${client.files}/artifacts/${at("cut.bin")} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n` +
      "Content-Type: text/plain\r\nContent-Length: 3000000\r\n\r\n",
  );
  socket.write(randomBytes(1_500_000));
  await expect.poll(drafts).toBe(1);
  socket.destroy();
  await expect.poll(drafts).toBe(0);
  expect((await client.listFiles(at(""))).text).not.toContain("cut.bin");
  expect((await client.getFile(at("cut.bin"))).status).toBe(404);
});

it("stores what 20 clients send to the same path at once, the last one whole", async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, number) => client.putFile(at("race"), `number ${number}`)),
  );
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect((await client.getFile(at("race"))).text).toMatch(/^number \d+$/);
});
