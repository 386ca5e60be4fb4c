import { createHash, randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

import { readConfig } from "../../../platform/settings/config.ts";
import { buildTracking, MlflowClient, refusalOf } from "../../../testing/mlflow-client.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { giveToken } from "../../../testing/workbench.ts";

const quota = 6_000_000;
let server: TestServer;
let tracking: Awaited<ReturnType<typeof buildTracking>>;
let client: MlflowClient;
let root: string;

beforeAll(async () => {
  const { artifacts } = readConfig({});
  server = await startTestServer({ artifacts: { ...artifacts, projectBytes: quota } });
  tracking = await buildTracking(server);
  client = tracking.mlflow;
  root = `1/${tracking.run}/artifacts`;
});
afterAll(() => server.close());

interface Created {
  upload_id: string;
  credentials: { url: string; part_number: number; headers: Record<string, string> }[];
}

const create = (folder: string, path: string, num_parts: unknown) =>
  client.sendFile("POST", `mpu/create/${folder}`, { path, num_parts });
const begin = async (path: string, num_parts: number) => (await create(root, path, num_parts)).json<Created>();
const finish = (path: string, upload_id: string, parts: object[], on = client) =>
  on.sendFile("POST", `mpu/complete/${root}`, { path, upload_id, parts });
const tagOf = (content: string | Buffer) => `"${createHash("sha256").update(content).digest("hex")}"`;
const listed = async () => (await client.listFiles(root)).json<{ files?: { path: string }[] }>().files ?? [];
const uploads = () => join(server.dataFolder, "artifacts", tracking.projectId, "uploads");
const open = async () => readdir(uploads()).catch(() => []);

it("joins parts that came in any order, by the addresses that it gave", async () => {
  const pieces = [randomBytes(700_000), randomBytes(700_000), randomBytes(123)];
  const { upload_id, credentials } = await begin("/home/me/large.bin", 3);
  expect(credentials.map((one) => one.part_number)).toEqual([1, 2, 3]);
  const parts = await Promise.all(
    credentials.toReversed().map(async ({ url, part_number, headers }) => {
      expect(url.startsWith(`${server.url}/mlflow/${tracking.projectId}/`)).toBe(true);
      const answer = await fetch(url, { method: "PUT", body: pieces[part_number - 1] ?? "", headers });
      expect(answer.status).toBe(200);
      return { part_number, etag: answer.headers.get("etag"), url };
    }),
  );
  expect(await listed()).toEqual([]);
  expect((await finish("/home/me/large.bin", upload_id, parts)).text).toBe("{}");
  expect((await client.getFile(`${root}/large.bin`)).bytes.equals(Buffer.concat(pieces))).toBe(true);
  expect(await open()).toEqual([]);
  // The answer was lost, and the client asks again.
  expect((await finish("/home/me/large.bin", upload_id, parts)).status).toBe(200);
  expect((await client.deleteFile(`${root}/large.bin`)).status).toBe(200);
});

it("takes the last name of a path of Windows, and a part that is sent again", async () => {
  const { upload_id } = await begin(String.raw`C:\models\own.txt`, 2);
  for (const [number, text] of [
    [1, "old"],
    [1, "new "],
    [2, "text"],
  ] as const)
    expect((await client.putPart(`${upload_id}/${number}`, text)).status).toBe(200);
  const parts = [
    { part_number: 2, etag: tagOf("text") },
    { part_number: 1, etag: tagOf("new ") },
  ];
  expect((await finish("own.txt", upload_id, parts)).status).toBe(200);
  expect((await client.getFile(`${root}/own.txt`)).text).toBe("new text");
});

it("lists nothing of an upload that is not whole, and keeps it", async () => {
  const { upload_id } = await begin("half.txt", 2);
  await client.putPart(`${upload_id}/1`, "one");
  const one = { part_number: 1, etag: tagOf("one") };
  const missing = await finish("half.txt", upload_id, [one, { part_number: 2, etag: tagOf("two") }]);
  expect([...refusalOf(missing), missing.text]).toEqual([
    ...[400, "INVALID_PARAMETER_VALUE"],
    expect.stringContaining("Part 2 has not arrived as it is named."),
  ]);
  expect(refusalOf(await finish("half.txt", upload_id, [one]))).toEqual([400, "INVALID_PARAMETER_VALUE"]);
  expect(refusalOf(await finish("other.txt", upload_id, [one, one]))).toEqual([400, "INVALID_PARAMETER_VALUE"]);
  expect((await listed()).map(({ path }) => path)).not.toContain("half.txt");
  await client.putPart(`${upload_id}/2`, "two");
  expect((await finish("half.txt", upload_id, [one, { part_number: 2, etag: tagOf("two") }])).status).toBe(200);
  expect((await client.getFile(`${root}/half.txt`)).text).toBe("onetwo");
});

it("gives up an upload, and one that nobody finishes", async () => {
  const { upload_id } = await begin("gone.txt", 1);
  await client.putPart(`${upload_id}/1`, "gone");
  const abort = () => client.sendFile("POST", `mpu/abort/${root}`, { path: "gone.txt", upload_id });
  expect((await abort()).text).toBe("{}");
  expect((await abort()).text).toBe("{}");
  expect(await open()).toEqual([]);
  expect(refusalOf(await client.putPart(`${upload_id}/1`, "late"))).toEqual([404, "RESOURCE_DOES_NOT_EXIST"]);
  const parts = [{ part_number: 1, etag: tagOf("gone") }];
  expect(refusalOf(await finish("gone.txt", upload_id, parts))).toEqual([404, "RESOURCE_DOES_NOT_EXIST"]);
});

it("refuses paths that lead out, strange numbers, and what does not fit", async () => {
  for (const [folder, path] of [
    [`${root}/a%2f..%2f..`, "x"],
    [root, ".."],
    [root, "a/.."],
    [root, "x\ny"],
    [root, ""],
    ["1", "x"],
  ] as const)
    expect(refusalOf(await create(folder, path, 1))[0]).toBe(400);
  expect(refusalOf(await create(`9/${tracking.run}/artifacts`, "x", 1))).toEqual([404, "RESOURCE_DOES_NOT_EXIST"]);
  for (const count of [0, -1, 10_001, 1.5, "many", null])
    expect(refusalOf(await create(root, "x", count))).toEqual([400, "INVALID_PARAMETER_VALUE"]);
  const { upload_id } = await begin("x", 2);
  for (const number of ["0", "3", "-1", "1e0", "99999999"])
    expect(refusalOf(await client.putPart(`${upload_id}/${number}`, "x"))).toEqual([400, "INVALID_PARAMETER_VALUE"]);
  expect(refusalOf(await client.putPart(`${upload_id}/1`, ""))).toEqual([400, "INVALID_PARAMETER_VALUE"]);
  for (const id of ["0".repeat(64), `${upload_id}-closed`, "..%2f..%2fx"])
    expect(refusalOf(await client.putPart(`${id}/1`, "x"))).toEqual([404, "RESOURCE_DOES_NOT_EXIST"]);
  // Together the parts are more than the project may store.
  const half = Buffer.alloc(quota / 2 + 1);
  expect((await client.putPart(`${upload_id}/1`, half)).status).toBe(200);
  expect(refusalOf(await client.putPart(`${upload_id}/2`, half))).toEqual([413, "RESOURCE_LIMIT_EXCEEDED"]);
  await client.sendFile("POST", `mpu/abort/${root}`, { path: "x", upload_id });
});

it("is for those who may write, in their own project", async () => {
  const { upload_id } = await begin("mine.txt", 1);
  await client.putPart(`${upload_id}/1`, "mine");
  const stranger = await server.signUp();
  const { mlflow: other } = await buildTracking(server);
  const nobody = new MlflowClient(server, tracking.projectId, undefined);
  const reader = new MlflowClient(server, tracking.projectId, await giveToken(stranger));
  const parts = [{ part_number: 1, etag: tagOf("mine") }];
  for (const [who, status] of [
    [nobody, 401],
    [reader, 404],
    [other, 404],
  ] as const) {
    expect(refusalOf(await who.putPart(`${upload_id}/1`, "theirs"))[0]).toBe(status);
    const finished = refusalOf(await finish("mine.txt", upload_id, parts, who));
    expect(finished[0]).toBe(status);
  }
  expect((await finish("mine.txt", upload_id, parts)).status).toBe(200);
});

it("limits how many uploads a project has at once", async () => {
  const ids: string[] = [];
  let answer = await create(root, "many", 1);
  for (; answer.status === 200 && ids.length < 100; answer = await create(root, "many", 1))
    ids.push(answer.json<Created>().upload_id);
  expect([ids.length, ...refusalOf(answer)]).toEqual([64, 429, "REQUEST_LIMIT_EXCEEDED"]);
  // One that got no part for a day is removed by housekeeping: see artifacts-sweep.test.ts.
  for (const id of ids) await client.sendFile("POST", `mpu/abort/${root}`, { path: "many", upload_id: id });
  expect(await open()).toEqual([]);
});

it("limits how many parts all uploads of a project have", async () => {
  const ids = [(await begin("one", 10_000)).upload_id, (await begin("two", 9_999)).upload_id];
  expect(refusalOf(await create(root, "three", 2))).toEqual([429, "REQUEST_LIMIT_EXCEEDED"]);
  ids.push((await begin("three", 1)).upload_id);
  for (const id of ids) await client.sendFile("POST", `mpu/abort/${root}`, { path: "x", upload_id: id });
});
