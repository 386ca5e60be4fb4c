import { notebook as limits } from "@miranda/contract/limits.ts";
import type { PasteResponse } from "@miranda/contract/schemas/changes.ts";
import type { SplitCode } from "@miranda/contract/schemas/code/notebooks.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { readGraph } from "../../testing/editor.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
let graph: string;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
  graph = await buildGraph(cast, (await buildProject(cast)).id);
});
afterAll(() => server.close());

const address = () => `/api/v3/graphs/${graph}/split`;
const cells = (...sources: string[]) => sources.map((source) => ({ kind: "code", source }));
const read = async (body: object) => (await cast.editor.postJson(address(), body)).json<SplitCode>();
const split = (body: object) => read({ ...body, splits: true });

describe("a notebook", () => {
  it("becomes nodes that can be pasted with their edges, placed from left to right", async () => {
    const made = await split({
      name: "sales.ipynb",
      cells: [
        { kind: "markdown", source: "## Load" },
        ...cells("rows = [1, 2]", "total = sum(rows)\ntotal", "print(rows)"),
      ],
    });
    expect(made).toMatchObject({ form: "cells", cells: 3, remarks: [] });
    expect(made.nodes.map(({ name, description }) => [name, description])).toEqual([
      ["Load", "## Load"],
      ["Cell 3", ""],
      ["Cell 4", ""],
    ]);
    const [load, sum, print] = made.nodes.map(({ position }) => position);
    expect(sum?.x).toBeGreaterThan(load?.x ?? 0);
    expect(print?.x).toBe(sum?.x);
    expect(print?.y).not.toBe(sum?.y);
    expect((await readGraph(cast.editor, graph)).nodes).toEqual({});
    const pasted = await cast.editor.postJson(`/api/v3/graphs/${graph}/paste`, {
      nodes: made.nodes,
      edges: made.edges,
    });
    expect(pasted.status).toBe(200);
    const { nodes, edges } = pasted.json<PasteResponse>();
    expect(Object.values(nodes).every(({ api }) => api.compiled)).toBe(true);
    expect(edges.map((edge) => [edge.source_transmitter_key, edge.destination_receiver_key])).toEqual([
      ["rows", "rows"],
      ["rows", "rows"],
    ]);
  });

  it("becomes one node with its text, unless it is to be split", async () => {
    const { nodes, edges } = await read({ name: "tides.ipynb", cells: cells("x = 1", "%timeit a, b = 1, 2") });
    expect(edges).toEqual([]);
    expect(nodes.map(({ name }) => name)).toEqual(["tides"]);
    expect(nodes[0]?.source_code).toContain("# %% Cell 2\n%timeit a, b = 1, 2\n");
    expect(nodes[0]?.api.compiled).toBe(true);
  });

  it("keeps cells together that may change one value, and says why", async () => {
    const { nodes, together } = await split({
      cells: cells("x = [[1], [2]]", "part = x[0]", "part[0] = 99", "print(x)"),
    });
    expect(nodes).toHaveLength(2);
    expect(together).toEqual([{ cells: [1, 2, 3], because: ["They change part, x in place."] }]);
  });

  it("is never run", async () => {
    const { nodes } = await split({ cells: cells("import os\nos._exit(3)", "__import__('os').abort()") });
    expect(nodes).toHaveLength(1);
  });

  it("with deeply nested code is refused or kept as comments, and the next notebook is read", async () => {
    const deep = await cast.editor.postJson(address(), { cells: cells(`x = ${"[".repeat(20_000)}`, "y = 1") });
    expect([200, 422]).toContain(deep.status);
    expect((await split({ cells: cells("y = 1") })).nodes).toHaveLength(1);
  });

  it.each([
    ["cells", { splits: true, text: "# %%\nx = 1\n".repeat(limits.cellsMax + 1) }],
    [
      "characters",
      { splits: true, cells: cells(`def f():\n    "${"x".repeat(10_000)}"`, ...Array<string>(900).fill("f()")) },
    ],
  ])("that would become too many %s is refused", async (_what, body) => {
    const answer = await cast.editor.postJson(address(), body);
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining("Split it into smaller files.")]);
  });

  it.each([
    [
      "more cells than can become nodes",
      { cells: cells(...Array<string>(10_000).fill("x = 1")) },
      "at most 1000 cells",
    ],
    ["too much code", { text: "x".repeat(limits.charactersMax + 1) }, "at most 2000000 characters"],
    ["too much code in cells", { cells: cells("x".repeat(limits.charactersMax), "y") }, "at most 2000000 characters"],
    ["cells that are none", { cells: [{ kind: "code" }] }, "Every cell needs its source."],
    ["no list", { cells: "{}" }, "cells must be a list."],
    ["a mark that is none", { cells: [{ kind: "code", source: "x", fails: 3 }] }, "fails is true or false."],
    ["nothing", {}, "Send either cells or a text."],
  ])("with %s is refused", async (_what, body, words) => {
    const answer = await cast.editor.postJson(address(), body);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(words);
  });

  it("that is too large for a request is refused", async () => {
    const answer = await cast.editor.postJson(address(), { text: "x".repeat(limits.charactersMax * 8) });
    expect(answer.status).toBe(413);
  });
});

describe("a script", () => {
  it("is split at its marks, becomes one node, or is recognised as text that is not Python", async () => {
    const text = "# %% Load\nx = 1\n# %% Show\nprint(x)\n";
    expect((await split({ name: "a.py", text })).nodes.map(({ name }) => name)).toEqual(["Load", "Show"]);
    expect(await read({ name: "a.py", text })).toMatchObject({ cells: 2, nodes: [{ name: "a" }] });
    expect(await split({ text: "Dear all, see below." })).toMatchObject({ form: "text", nodes: [] });
  });
});

describe("who may turn code into nodes", () => {
  it.each([
    ["anonymous", 401],
    ["stranger", 404],
    ["viewer", 403],
    ["editor", 200],
    ["owner", 200],
    ["admin", 200],
  ] as const)("%s: %i", async (role, status) => {
    expect((await cast[role].postJson(address(), { text: "print(1)" })).status).toBe(status);
  });
});
