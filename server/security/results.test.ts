import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sandboxProblem } from "../../scripts/sandbox.ts";
import { hashToken, newId } from "../platform/crypto.ts";
import { readConfig } from "../platform/settings/config.ts";
import { addOne, keptResults, ranNodes, resume, slowChain, slowNode } from "../testing/results/kept-results.ts";
import { TestClient } from "../testing/test-client.ts";
import { startTestServer, type TestServer } from "../testing/test-server.ts";
import { forge, script, Workbench } from "../testing/workbench.ts";
import { RawConnection } from "./raw-http.ts";

// Who may read and write kept results, and what node code can do to them.

const megabyte = 1024 * 1024;
const key = "a".repeat(64);
const path = (jobId: string, of = key) => `/api/runner/${jobId}/results/${of}`;
const query = "?node=1&run=1&seconds=1";

describe("a stranger", () => {
  let server: TestServer;
  let bench: Workbench;
  beforeAll(async () => {
    server = await startTestServer({ processors: readConfig({ MIRANDA_RESULT_GB: "0.004" }).processors });
    bench = await Workbench.open(server);
    await bench.store("local", {}, new Date(Date.now() + 3_600_000));
  });
  afterAll(async () => {
    bench.close();
    await server.close();
  });

  const agent = (token: string): TestClient => {
    const client = new TestClient(server.url);
    client.headers = { authorization: `Bearer ${token}` };
    return client;
  };
  const put = (client: TestClient, jobId: string, content: Buffer<ArrayBuffer>, of = key) =>
    client.send("PUT", path(jobId, of) + query, content, { "content-type": "application/octet-stream" });
  const rows = () => server.db.selectFrom("results").select(["key", "bytes"]).orderBy("created_at").execute();

  it.each([
    ["GET", path, {}],
    ["PUT", (id: string) => path(id) + query, { "content-type": "application/octet-stream" }],
    ["POST", (id: string) => `/api/runner/${id}/results/find`, { "content-type": "application/json" }],
  ] as const)("is refused before the body of %s is sent", async (method, address, headers) => {
    for (const authorization of [{}, { authorization: "Bearer guessed" }]) {
      const stranger = await RawConnection.open(server.url);
      stranger.head(method, address(bench.jobId), { ...headers, ...authorization, "content-length": 96 * megabyte });
      expect(await stranger.status()).toBe(401);
      await stranger.closed;
    }
    expect(await rows()).toEqual([]);
  });

  it("cannot do it as a person: readers and editors have no way to write a result", async () => {
    for (const client of [bench.owner, await server.signUp()])
      expect((await put(client, bench.jobId, Buffer.from("poison"))).status).toBe(401);
    expect(await rows()).toEqual([]);
  });

  it.each(["..%2f..%2f..%2fsecret-key", "A".repeat(64), "a".repeat(63), `${"a".repeat(63)}%2f`])(
    "finds no other file by the key %s",
    async (wrong) => {
      for (const { status } of [
        await agent("t").get(path(bench.jobId, wrong)),
        await put(agent("t"), bench.jobId, Buffer.from("x"), wrong),
      ])
        expect([400, 404]).toContain(status);
      expect(await rows()).toEqual([]);
    },
  );

  it("of another project reads nothing, and the token ends with the session", async () => {
    expect((await put(agent("t"), bench.jobId, Buffer.from("mine"))).status).toBe(200);
    const other = await Workbench.open(server);
    await other.store("local", {}, new Date(Date.now() + 3_600_000));
    expect((await agent("t").get(path(other.jobId))).status).toBe(404);
    const found = await agent("t").postJson(`/api/runner/${other.jobId}/results/find`, { keys: [key] });
    expect(found.json()).toEqual({ found: {}, lost: {}, reads: {} });
    expect((await agent("t").get(path(bench.jobId))).text).toBe("mine");
    await server.db.updateTable("jobs").set({ state: "EXITED" }).where("id", "=", other.jobId).execute();
    expect((await agent("t").get(path(other.jobId))).status).toBe(410);
    other.close();
  });

  it("with the same key as another session changes nothing: the first result counts", async () => {
    const second = newId();
    await server.db
      .insertInto("jobs")
      .values({
        ...{ id: second, tag: 2, graph_id: null, account_id: bench.owner.account.id, name: "x", engine: "local" },
        ...{ state: "READY" as const, token_hash: hashToken("u"), total_cost: null },
      })
      .execute();
    await server.db.updateTable("jobs").set({ project_id: bench.projectId }).where("id", "=", second).execute();
    const wanted = "b".repeat(64);
    const contents = Array.from({ length: 6 }, () => randomBytes(200_000));
    const answers = await Promise.all(
      contents.map((content, at) => put(agent(at % 2 ? "t" : "u"), at % 2 ? bench.jobId : second, content, wanted)),
    );
    expect(answers.map(({ status }) => status)).toEqual(contents.map(() => 200));
    const { bytes } = await agent("t").get(path(bench.jobId, wanted));
    expect(contents.some((content) => content.equals(bytes))).toBe(true);
    expect((await agent("u").get(path(second, wanted))).bytes.equals(bytes)).toBe(true);
  });

  it("keeps no more than the project may: what was used least recently goes", async () => {
    // 4 MB in all, 2 MB each.
    expect((await put(agent("t"), bench.jobId, Buffer.alloc(2_100_000), "c".repeat(64))).status).toBe(413);
    for (const letter of ["d", "e", "f"])
      expect((await put(agent("t"), bench.jobId, Buffer.alloc(1_500_000), letter.repeat(64))).status).toBe(200);
    const left = await rows();
    expect(left.map((row) => row.key.charAt(0)).slice(-2)).toEqual(["e", "f"]);
    expect(left.reduce((sum, row) => sum + row.bytes, 0)).toBeLessThanOrEqual(4_000_000);
    expect((await agent("t").get(path(bench.jobId, "d".repeat(64)))).status).toBe(404);
  });

  it("that sends less than it announced leaves nothing", async () => {
    const before = await rows();
    const cut = await RawConnection.open(server.url);
    const headers = { authorization: "Bearer t", "content-type": "application/octet-stream" };
    cut.head("PUT", path(bench.jobId, "9".repeat(64)) + query, { ...headers, "content-length": megabyte });
    await cut.pour(megabyte / 2);
    cut.socket.destroy();
    await cut.closed;
    expect(await rows()).toEqual(before);
  });
});

describe.skipIf(sandboxProblem() !== undefined)("node code in the sandbox", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ processors: readConfig({ MIRANDA_ENGINE: "local" }).processors });
  });
  afterAll(() => server.close());

  /** Lines that ask the agent to keep a file that node code prepared. */
  const claim = (prepare: string) => [
    ...forge,
    "import time",
    "os.makedirs('.miranda/results', exist_ok=True)",
    prepare,
    `send({"kind": "keep_result", "question": 1, "key": "${key}", "node": 1, "run": 1, "seconds": 1, "file": "x"})`,
    "time.sleep(1)",
  ];

  it.each([
    ["a link", "os.symlink('/etc/passwd', '.miranda/results/x')"],
    ["a folder that is a link", "os.rmdir('.miranda/results'); os.symlink('/etc', '.miranda/results'); "],
    ["a pipe", "os.mkfifo('.miranda/results/x')"],
    [
      "a file without end",
      "os.truncate(os.open('.miranda/results/x', os.O_CREAT | os.O_WRONLY), 0) or open('.miranda/results/x', 'wb').truncate(10 << 30)",
    ],
  ])("cannot make the agent send %s", async (_what, prepare) => {
    const bench = await Workbench.open(server);
    await bench.node(script(...claim(prepare)));
    await bench.start();
    await bench.run();
    expect(await server.db.selectFrom("results").where("key", "=", key).selectAll().execute()).toEqual([]);
    expect((await bench.job()).workflow_state).toBe("READY");
    bench.close();
  });

  it("cannot change what the agent loaded, and gets what it cannot open run again", async () => {
    const bench = await Workbench.open(server);
    const ids = await slowChain(bench, [addOne, addOne]);
    await bench.start();
    await bench.run();
    await keptResults(server.db, bench.projectId, 2);
    await bench.until("stop", "", "EXITED");
    const look =
      "self.out.send(self.inp); import glob, os; [print('writes', f) for f in glob.glob(os.getcwd() + '/../results/*') if os.access(f, os.W_OK)]";
    await bench.code(ids[1] ?? 0, slowNode("N2", look));
    await bench.start();
    await bench.until("run", resume, "READY");
    expect(await ranNodes(bench)).toEqual(["N2"]);
    expect((await bench.lines()).filter(([, text]) => text.startsWith("writes"))).toEqual([]);
    bench.close();
  });

  it("that keeps a bomb of a pickle harms only the process that opens it", async () => {
    const bench = await Workbench.open(server);
    const bomb = "class Bomb:\n    def __reduce__(self):\n        import os\n        return os._exit, (7,)\n\n";
    const code = slowNode("N1", "self.out.send(Bomb())").replace("class N1", `${bomb}class N1`);
    const first = await bench.node(code, "N1");
    await bench.start();
    await bench.run();
    await keptResults(server.db, bench.projectId, 1);
    await bench.until("stop", "", "EXITED");
    const second = await bench.node(slowNode("N2", addOne), "N2");
    await bench.edge(first, "out", second, "inp");
    await bench.start();
    await bench.until("run", resume, "READY");
    // Opened in a process of its own, which is all that ends: N1 runs again, and N2 fails by name.
    expect(await ranNodes(bench)).toEqual(["N1"]);
    expect((await bench.lines()).map(([, text]) => text).join("\n")).toContain(
      "The process of N2 ended: its code ended",
    );
    expect((await bench.owner.get("/api/v3/projects/")).status).toBe(200);
    bench.close();
  });
});
