import type { CodeLines, NodeChanges } from "@miranda/contract/schemas/comments/last-changes.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addNode } from "../../testing/editor.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let cast: Cast;
let graph: string;
let node: number;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
beforeEach(async () => {
  graph = await buildGraph(cast, (await buildProject(cast)).id);
  node = (await addNode(cast.owner, graph, "Train")).metadata_id;
});
afterAll(() => server.close());

const commit = (person: TestAccount, source_code: string) =>
  person.post(`/api/v3/objects/${node}/commits`, { source_code, message: "" });
const read = async () => (await cast.viewer.get(`/api/v3/objects/${node}/lines`)).json<CodeLines>();
async function writers(): Promise<(string | null | undefined)[]> {
  const { commits, lines } = await read();
  return lines.map((at) => (at === null ? null : commits[at]?.by));
}

describe("who changed it last", () => {
  it("names the last person, and the writer of each line after every commit", async () => {
    await commit(cast.owner, "a = 1\nb = 2\nc = 3");
    expect(await writers()).toEqual(["owner", "owner", "owner"]);
    await commit(cast.editor, "a = 1\nb = 20\nc = 3\nd = 4");
    const { last } = (await cast.viewer.get(`/api/v3/objects/${node}/last-change`)).json<NodeChanges>();
    expect(last?.by).toBe("editor");
    expect(await writers()).toEqual(["owner", "editor", "owner", "editor"]);
    await commit(cast.owner, "z = 0\na = 1\nb = 20\nd = 4\nc = 3");
    const { lines } = await read();
    expect(lines).toEqual([2, 0, 1, 1, 2]);
    expect((await read()).lines).toEqual(lines);
    // As an import changes code: without a commit.
    await sql`update nodes set source_code = E'a = 1\nnew' where metadata_id = ${node}`.execute(server.db);
    expect(await writers()).toEqual(["owner", null]);
  });

  it("leaves lines unknown whose writer would take too long to find", async () => {
    const written = Array.from({ length: 100 }, (_, version) =>
      Array.from({ length: 3_300 }, (_line, at) => ((at + version) % 14 === 0 ? `v${version}` : `l${at % 97}`)).join(
        "\n",
      ),
    );
    await sql`insert into node_commits (id, metadata_id, graph_id, number, source_code, api)
      select gen_random_uuid(), ${node}, ${graph}, at, text, '[]'
      from unnest(${written}::text[]) with ordinality as written(text, at)`.execute(server.db);
    await sql`update nodes set source_code = ${written.at(-1)} where metadata_id = ${node}`.execute(server.db);
    const { commits, lines } = await read();
    expect([commits.length, lines.length]).toEqual([100, 3_300]);
    // The time goes to the newest commits. The first one wrote most lines, and is not reached.
    expect(lines.filter((at) => at !== null && at < 50)).toEqual([]);
    expect(lines.filter((at) => at === null).length).toBeGreaterThan(1_000);
  });
});
