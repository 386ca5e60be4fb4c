import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { addNode, readGraph } from "../../testing/editor.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";

const nodeCount = 2_500;

let server: TestServer;
let owner: TestAccount;
let graph: string;
let project: string;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp();
  project = (await owner.post("/api/v3/projects/", { name: "Tides", description: "" })).json<{ id: string }>().id;
  const made = await owner.post("/api/v3/graphs/", { name: "Large", description: "", project_id: project });
  graph = made.json<{ id: string }>().id;
  const { metadata_id } = await addNode(owner, graph, "First");
  await sql`insert into nodes (id, graph_id, class, name, x, y, api, source_code)
    select gen_random_uuid(), graph_id, class, 'Step ' || n, n, 0, api, repeat('print("ünï") ', 20)
    from nodes, generate_series(1, ${nodeCount}::int) n where metadata_id = ${metadata_id}`.execute(server.db);
});
afterAll(() => server.close());

interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Sends a request and resolves when the headers of its answer are here. */
function open(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<IncomingMessage> {
  const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  return new Promise((resolve, reject) => {
    const sent = httpRequest(server.url + path, { method, headers: { cookie, ...headers } }, resolve);
    sent.once("error", reject).end();
  });
}

/** Without fetch, which decompresses by itself. */
async function send(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<RawAnswer> {
  const answer = await open(path, headers, method);
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(Buffer.from(chunk));
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) };
}

const decompress = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync };

describe("a large answer", () => {
  const addresses = () => [
    ["a stream of JSON", `/api/v3/graphs/${graph}/graph`],
    ["a download", `/api/v3/graphs/${graph}/graphml`],
    ["one JSON text", "/api/v3/prefabs"],
    ["the description of the API", "/api/docs/json"],
  ];

  it.each(["zstd", "br", "gzip"] as const)(
    "comes as %s to a client that asks for it, and means the same",
    async (name) => {
      for (const [what, path = ""] of addresses()) {
        const plain = await send(path);
        const small = await send(path, { "accept-encoding": name });
        expect([what, small.status, small.headers["content-encoding"], small.headers.vary]).toEqual([
          what,
          200,
          name,
          "accept-encoding",
        ]);
        expect(small.headers["content-type"]).toBe(plain.headers["content-type"]);
        expect(small.body.length).toBeLessThan(plain.body.length / 2);
        expect(decompress[name](small.body).equals(plain.body)).toBe(true);
        const { "content-length": length } = small.headers;
        if (length !== undefined) expect(Number(length)).toBe(small.body.length);
      }
    },
  );

  it("comes as it is to a client that takes no encoding, and says that it may differ", async () => {
    for (const headers of [{}, { "accept-encoding": "identity" }, { "accept-encoding": "gzip;q=0, *;q=0" }])
      for (const [, path = ""] of addresses()) {
        const answer = await send(path, headers);
        expect([answer.headers["content-encoding"], answer.headers.vary]).toEqual([undefined, "accept-encoding"]);
      }
    expect(Object.keys((await readGraph(owner, graph)).nodes)).toHaveLength(nodeCount + 1);
  });

  it("has the same headers for HEAD, and no body", async () => {
    for (const [, path = ""] of addresses()) {
      const whole = await send(path, { "accept-encoding": "zstd" });
      const head = await send(path, { "accept-encoding": "zstd" }, "HEAD");
      const compared = ({ headers }: RawAnswer) =>
        ["content-encoding", "content-type", "content-length", "vary", "etag", "cache-control"].map(
          (one) => headers[one],
        );
      expect([head.status, head.body.length, ...compared(head)]).toEqual([200, 0, ...compared(whole)]);
    }
  });
});

describe("an answer is sent as it is", () => {
  const asked = { "accept-encoding": "gzip, br, zstd" };

  it("when it is small", async () => {
    const answer = await send(`/api/v3/graphs/${graph}`, asked);
    expect([answer.status, answer.headers["content-encoding"]]).toEqual([200, undefined]);
    expect(Number(answer.headers["content-length"])).toBe(answer.body.length);
  });

  it("when it is a refusal", async () => {
    const answer = await send("/api/v3/graphs/none/graph", asked);
    expect([answer.status, answer.headers["content-encoding"]]).toEqual([404, undefined]);
  });

  it("when it has secrets: the length would help to guess them", async () => {
    for (let count = 0; count < 40; count += 1)
      await owner.post("/api/v3/secrets", { key: `key_${count}_${"x".repeat(40)}`, value: "hunter2" });
    const answer = await send("/api/v3/secrets", asked);
    expect(answer.body.length).toBeGreaterThan(2_000);
    expect([answer.headers["content-encoding"], answer.headers.etag, answer.headers["cache-control"]]).toEqual([
      undefined,
      undefined,
      "no-store",
    ]);
  });

  it("when a page of another site made the request", async () => {
    for (const site of ["cross-site", "same-site"]) {
      const answer = await send(`/api/v3/graphs/${graph}/graph`, { ...asked, "sec-fetch-site": site });
      expect([site, answer.status, answer.headers["content-encoding"]]).toEqual([site, 200, undefined]);
    }
    const own = await send(`/api/v3/graphs/${graph}/graph`, { ...asked, "sec-fetch-site": "same-origin" });
    expect(own.headers["content-encoding"]).toBe("zstd");
  });
});

describe("while a large answer is sent", () => {
  const largeAnswers = () => [`/api/v3/graphs/${graph}/graphml`, `/api/v3/graphs/${graph}/graph`];

  it("other calls are answered", async () => {
    for (const path of largeAnswers()) {
      const attempt = async (): Promise<string[]> => {
        const order: string[] = [];
        const large = send(path, { "accept-encoding": "zstd" });
        const ended = large.then(({ status }) => order.push(`the large one ${status}`));
        for (const _turn of [1, 2]) {
          await owner.get(`/api/v3/graphs/${graph}`);
          order.push("a small one");
        }
        await ended;
        return order;
      };
      // On a busy machine the database may answer a small one late.
      await expect.poll(attempt).toEqual(["a small one", "a small one", "the large one 200"]);
    }
  });

  it("a client that leaves in the middle leaves nothing behind", async () => {
    // More than the server has database connections.
    for (let round = 0; round < 15; round += 1)
      for (const path of largeAnswers()) {
        const answer = await open(path, round % 2 === 0 ? { "accept-encoding": "zstd" } : {});
        answer.destroy();
      }
    await vi.waitFor(
      async () => {
        const { rows } = await sql<{ count: number }>`select count(*) from pg_stat_activity
          where datname = current_database() and state = 'idle in transaction'`.execute(server.db);
        expect(Number(rows[0]?.count)).toBe(0);
      },
      { timeout: 20_000, interval: 100 },
    );
    expect(Object.keys((await readGraph(owner, graph)).nodes)).toHaveLength(nodeCount + 1);
  });

  it("a client that never reads holds no database connection", async () => {
    const asleep = await Promise.all(Array.from({ length: 12 }, () => open(`/api/v3/graphs/${graph}/graph`)));
    try {
      expect((await send(`/api/v3/graphs/${graph}/graphml`)).body.toString()).toMatch(/<\/graphml>\s*$/);
    } finally {
      for (const answer of asleep) answer.destroy();
    }
  });
});
