import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import type { Answer } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());

/** How often somebody else was served while the work was done. */
async function servedDuring(work: () => Promise<void>): Promise<number> {
  const served = { count: 0, isOver: false };
  async function serve(): Promise<void> {
    while (!served.isOver) {
      expect((await cast.stranger.get("/api/v3/auth/")).status).toBe(200);
      served.count += 1;
    }
  }
  const serving = serve();
  await work().finally(() => (served.isOver = true));
  await serving;
  return served.count;
}

function expectOk(answer: Answer): Answer {
  expect([answer.status, answer.status === 200 ? "" : answer.text]).toEqual([200, ""]);
  return answer;
}

/** A workflow and its clone, in which code was written behind the server's back: `code` is SQL with the number `n`. */
async function pairWith(count: number, code: (side: string) => string): Promise<{ graph: string; clone: string }> {
  const project = (await buildProject(cast)).id;
  const graph = await buildGraph(cast, project);
  await sql`insert into nodes (id, graph_id, class, name, source_code)
    select gen_random_uuid(), ${graph}, 'Code_block', 'Node ' || n, ${sql.raw(code("b"))}
    from generate_series(1, ${count}) as n`.execute(server.db);
  await sql`update graphs set revision = revision + 1 where id = ${graph}`.execute(server.db);
  const copied = expectOk(await cast.owner.post(`/api/v3/graphs/${graph}/clone`, { to_project: project }));
  const clone = copied.json<{ id: string }>().id;
  for (const [id, side] of [[graph, "m"] as const, [clone, "t"] as const]) {
    await sql`update nodes set source_code = ${sql.raw(code(side))}
      from (select metadata_id, row_number() over (order by metadata_id) as n from nodes where graph_id = ${id}) as numbered
      where nodes.metadata_id = numbered.metadata_id`.execute(server.db);
    await sql`update graphs set revision = revision + 1 where id = ${id}`.execute(server.db);
  }
  return { graph, clone };
}

const hostile = {
  "one line of a megabyte": (side: string) => `repeat('${side}' || n % 10, 450000)`,
  "three hundred thousand lines": (side: string) => `repeat('${side}' || E'\\n', 300000)`,
  "lines that are equal here and there": (side: string) =>
    `(select string_agg(case when (i * 7 + n + ${side.codePointAt(0)}) % 5 < 2 then 'x' else '${side}' || i % 97 end, E'\\n')
      from generate_series(1, 4000) as i)`,
};

describe("hostile code", { timeout: 120_000 }, () => {
  for (const [name, code] of Object.entries(hostile))
    it(`is compared, previewed and stored while others are served: ${name}`, async () => {
      const { graph, clone } = await pairWith(20, code);
      const served = await servedDuring(async () => {
        expectOk(await cast.owner.get(`/api/v3/graphs/${graph}/versions/now/compare/now?with=${clone}`));
        const preview = expectOk(await cast.owner.postJson(`/api/v3/graphs/${graph}/merges/preview`, { from: clone }));
        expect(preview.json<{ conflicts: object[] }>().conflicts.length).toBeGreaterThanOrEqual(20);
        expectOk(await cast.owner.postJson(`/api/v3/graphs/${graph}/versions`, { name: "Stored" }));
      });
      expect(served).toBeGreaterThan(10);
    });
});

describe("an account that asks for a hundred comparisons at once", { timeout: 120_000 }, () => {
  it("is refused some of them with clear words, and another account is served", async () => {
    const { graph, clone } = await pairWith(3_000, (side) => `'# ${side} ' || n`);
    const ask = (client: Cast["owner"]) => client.get(`/api/v3/graphs/${graph}/versions/now/compare/now?with=${clone}`);
    const greedy = Array.from({ length: 100 }, () => ask(cast.editor));
    expectOk(await ask(cast.viewer));
    const answers = await Promise.all(greedy);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, text, headers } of refused) {
      const words = "You are comparing, merging or storing many versions already. Wait until one of them is done.";
      expect([status, text, headers.get("retry-after")]).toEqual([429, words, "5"]);
    }
    expectOk(await ask(cast.editor));
  });

  it("cannot keep more exports in memory by not reading them", async () => {
    const { graph } = await pairWith(10, (side) => `'${side}' || repeat(md5(n::text || random()::text), 25000)`);
    const cookie = [...cast.owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const sent = Array.from({ length: 20 }, () =>
      request(`${server.url}/api/v3/graphs/${graph}/versions/now/files`, { headers: { cookie } }).end(),
    );
    const responses = await Promise.all(
      sent.map(async (one) => {
        const [response]: IncomingMessage[] = await once(one, "response");
        return response;
      }),
    );
    const statuses = responses.map((response) => response?.statusCode);
    expect(statuses).toContain(429);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(6);
    expectOk(await cast.editor.get(`/api/v3/graphs/${graph}/versions/now/files`));
    for (const one of sent) one.destroy();
    const again = () => cast.owner.get(`/api/v3/graphs/${graph}/versions/now/files`);
    await expect.poll(async () => (await again()).status).toBe(200);
  });
});

describe("decisions about conflicts", () => {
  it("that are too many, too long or no decisions are refused with clear words", async () => {
    const { graph, clone } = await pairWith(1, () => `'pass'`);
    const send = (resolutions: unknown) =>
      cast.owner.postJson(`/api/v3/graphs/${graph}/merges`, {
        ...{ from: clone, theirs_revision: 1, mine_revision: 2, resolutions },
      });
    const many = Object.fromEntries(Array.from({ length: 50_001 }, (_, at) => [`value:${at}`, "mine"]));
    const answers = [
      [await send(many), 400, "A merge can have at most 50000 decisions."],
      [await send(["mine"]), 400, 'Each conflict is decided by "mine", "theirs" or a value.'],
      [await send({ a: "ours" }), 400, 'Each conflict is decided by "mine", "theirs" or a value.'],
      [await send(JSON.parse('{"__proto__": {"value": 1}}')), 400, undefined],
      [await send({ "code:x:1": { value: "x".repeat(5_000_000) } }), 413, undefined],
    ] as const;
    for (const [{ status, text }, expected, words] of answers)
      expect([status, text]).toEqual([expected, words ?? text]);
  });
});
