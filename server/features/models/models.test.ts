import { errors } from "@miranda/contract/errors.ts";
import { totalHeader } from "@miranda/contract/list-total.ts";
import type { Model, ModelSort, ModelsResponse } from "@miranda/contract/schemas/models/models.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { newId } from "../../platform/crypto.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let owner: TestAccount;
let reader: TestAccount;
const graphIds: string[] = [];
const projectIds: string[] = [];

const minute = 60_000;
const began = Date.parse("2026-01-01T00:00:00Z");

async function makeGraph(name: string, visibility: "public" | "private"): Promise<string> {
  const project = await owner.post("/api/v3/projects/", { name, description: "" });
  const { id } = project.json<{ id: string }>();
  projectIds.push(id);
  await owner.patch(`/api/v3/projects/${id}`, { visibility });
  const graph = await owner.post("/api/v3/graphs/", { project_id: id, name, description: "" });
  return graph.json<{ id: string }>().id;
}

/** Forty models: pairs with equal times, values that many share, and every fifth without metrics. */
async function addModels(): Promise<void> {
  for (let at = 0; at < 40; at += 1) {
    const time = new Date(began + Math.floor(at / 2) * minute);
    await server.db
      .insertInto("models")
      .values({
        id: newId(),
        name: at === 7 ? "50%_done" : `Net-${at}`,
        project_id: projectIds[at % graphIds.length] ?? "",
        // Some were made by a client, without a workflow.
        graph_id: at % 9 === 8 ? null : (graphIds[at % graphIds.length] ?? ""),
        job_id: null,
        node_id: null,
        graph_revision: null,
        artifact: null,
        metrics: JSON.stringify(at % 5 === 0 ? { loss: null } : { loss: (at % 4) / 7, accuracy: at / 3, odd: 1 }),
        created_at: time,
        updated_at: new Date(began + (40 - Math.floor(at / 2)) * minute),
      })
      .execute();
  }
}

beforeAll(async () => {
  server = await startTestServer();
  // The first account is an administrator.
  await server.signUp();
  owner = await server.signUp();
  reader = await server.signUp();
  graphIds.push(await makeGraph("Tide tables", "public"), await makeGraph("tide forecast", "public"));
  graphIds.push(await makeGraph("Secret", "private"));
  await addModels();
});
afterAll(() => server.close());

const pathOf = (query: Record<string, string>) => `/api/v3/models/?${new URLSearchParams(query).toString()}`;

async function read(client: TestAccount, query: Record<string, string> = {}) {
  const answer = await client.get(pathOf(query));
  expect(answer.status).toBe(200);
  return { ...answer.json<ModelsResponse>(), total: answer.headers.get(totalHeader) };
}

/** All pages of a list, read to the end. */
async function readAll(client: TestAccount, query: Record<string, string>): Promise<Model[]> {
  const all: Model[] = [];
  let after: string | null = null;
  do {
    const page: ModelsResponse = await read(client, { ...query, ...(after !== null && { after }) });
    all.push(...page.json);
    after = page.next;
  } while (after !== null);
  return all;
}

const orders: [ModelSort, (model: Model) => string | number | null][] = [
  ["graph", ({ graph }) => graph.name.toLowerCase() || null],
  ["loss", ({ loss }) => loss],
  ["accuracy", ({ accuracy }) => accuracy],
  ["precision", ({ precision }) => precision],
  ["recall", ({ recall }) => recall],
  ["created", ({ time_created }) => time_created],
  ["updated", ({ last_updated }) => last_updated],
];

describe("a page of models", () => {
  it("has the newest first, says how many there are, and where the next page starts", async () => {
    const first = await read(owner, { limit: "15" });
    expect(first.total).toBe("40");
    expect(first.json).toHaveLength(15);
    expect(first.json.map(({ last_updated }) => last_updated)).toEqual(
      first.json
        .map(({ last_updated }) => last_updated)
        .toSorted()
        .toReversed(),
    );
    const second = await read(owner, { limit: "15", after: first.next ?? "" });
    expect(second.total).toBeNull();
    const third = await read(owner, { limit: "15", after: second.next ?? "" });
    expect(third.next).toBeNull();
    const ids = [first, second, third].flatMap(({ json }) => json.map(({ id }) => id));
    expect(new Set(ids).size).toBe(40);
  });

  it.for(orders)(
    "sorted by %s has every model once, in both directions, those without a value last",
    async ([sort, valueOf]) => {
      for (const direction of ["asc", "desc"]) {
        const all = await readAll(owner, { sort, direction, limit: "3" });
        expect(new Set(all.map(({ id }) => id)).size).toBe(40);
        const values = all.map(valueOf);
        const present = values.filter((value) => value !== null);
        const ordered = present.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0));
        const expected = direction === "asc" ? ordered : ordered.toReversed();
        expect(values).toEqual([...expected, ...values.filter((value) => value === null)]);
      }
    },
  );

  it("has only models of workflows that the caller may read", async () => {
    const all = await readAll(reader, { limit: "10" });
    expect(all).toHaveLength(27);
    expect(all.some(({ graph }) => graph.name === "Secret")).toBe(false);
    expect((await read(reader)).total).toBe("27");
    expect((await read(reader, { graph: "secret" })).json).toEqual([]);
  });

  it("starts after a model that was deleted meanwhile", async () => {
    for (const sort of ["updated", "loss", "graph"]) {
      const before = await readAll(owner, { sort });
      const first = await read(owner, { sort, limit: "5" });
      const last = first.json.at(-1);
      const row = await server.db
        .deleteFrom("models")
        .where("id", "=", last?.id ?? "")
        .returningAll()
        .executeTakeFirst();
      const rest = await readAll(owner, { sort, after: first.next ?? "" });
      expect([...first.json, ...rest].map(({ id }) => id)).toEqual(before.map(({ id }) => id));
      const {
        loss: _l,
        accuracy: _a,
        precision: _p,
        recall: _r,
        metrics,
        tags,
        ...kept
      } = row ?? expect.fail("It was there.");
      await server.db
        .insertInto("models")
        .values({ ...kept, metrics: JSON.stringify(metrics), tags: JSON.stringify(tags) })
        .execute();
    }
  });
});

describe("a search", () => {
  it("finds a part of a model's name and of its workflow's, in any case", async () => {
    expect((await readAll(owner, { id: "nEt-3" })).map(({ name }) => name).toSorted()).toEqual(
      ["Net-3", ...Array.from({ length: 10 }, (_, at) => `Net-3${at}`)].toSorted(),
    );
    const tides = await readAll(owner, { graph: "TIDE", limit: "4" });
    expect(tides).toHaveLength(27);
    const both = await read(owner, { graph: "tide t", id: "net-2", sort: "loss" });
    expect(both.json.every(({ name, graph }) => name.includes("Net-2") && graph.name === "Tide tables")).toBe(true);
    expect(both.total).toBe(`${both.json.length}`);
    expect(await read(owner, { id: "zzzzzz" })).toEqual({ json: [], next: null, total: "0" });
  });

  it("takes a percent sign, an underscore and a backslash for themselves", async () => {
    expect((await read(owner, { id: "%" })).json.map(({ name }) => name)).toEqual(["50%_done"]);
    expect((await read(owner, { id: "_" })).json.map(({ name }) => name)).toEqual(["50%_done"]);
    expect((await read(owner, { id: "\\" })).json).toEqual([]);
  });
});

describe("the list of models refuses", () => {
  const keyOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const id = "01900000-0000-7000-8000-000000000000";

  it.for([
    ["a page of a million", { limit: "1000000" }, "limit must be a whole number from 1 to 500."],
    ["a page of nothing", { limit: "0" }, "limit must be a whole number from 1 to 500."],
    ["10,000 letters", { id: "a".repeat(10_000) }, "id can have at most 200 characters."],
    ["10,000 letters for the workflow", { graph: "a".repeat(10_000) }, "graph can have at most 200 characters."],
    ["an order that does not exist", { sort: "name" }, /^sort must be graph, loss, .* or updated\.$/],
    ["a direction that does not exist", { direction: "up" }, "direction must be asc or desc."],
    ["a key that is no key", { after: "nonsense" }, errors.page_key_unreadable],
    ["an empty key", { after: "" }, errors.page_key_unreadable],
    ["a key of another order", { after: keyOf(["loss", 1, id]) }, errors.page_key_unreadable],
    ["a key with a wrong value", { after: keyOf(["updated", "now", id]) }, errors.page_key_unreadable],
    ["a key with a wrong id", { after: keyOf(["updated", 1, "x"]) }, errors.page_key_unreadable],
    [
      "a key with a character that cannot be stored",
      { sort: "graph", after: keyOf(["graph", "a\u0000", id, id]) },
      errors.page_key_unreadable,
    ],
    ["an endless key", { after: "a".repeat(10_000) }, "after can have at most 2000 characters."],
  ] as const)("%s", async ([_what, query, words]) => {
    const answer = await owner.get(pathOf(query));
    expect(answer.status).toBe(400);
    if (typeof words === "string") expect(answer.text).toBe(words);
    else expect(answer.text).toMatch(words);
  });
});

it("counts models up to a thousand", async () => {
  const [graphId = ""] = graphIds;
  const rows = Array.from({ length: 1_000 }, (_, at) => ({
    id: newId(),
    name: `many-${at}`,
    project_id: projectIds[0] ?? "",
    graph_id: graphId,
    job_id: null,
    node_id: null,
    graph_revision: null,
    artifact: null,
  }));
  await server.db.insertInto("models").values(rows).execute();
  expect((await read(owner, { id: "many-" })).total).toBe("1000");
  expect((await read(owner)).total).toBe("1000+");
});
