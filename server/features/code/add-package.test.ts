import type { CommitPage } from "@miranda/contract/schemas/code.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { buildGraph, buildProject, type Cast, signUpCast } from "../../testing/access.ts";
import { addNode, readGraph } from "../../testing/editor.ts";
import { SharedCode } from "../../testing/shared-code.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";
import { connect, until } from "../../testing/test-socket.ts";

let server: TestServer;
let cast: Cast;
let graph: string;
let node: number;
beforeAll(async () => {
  server = await startTestServer();
  cast = await signUpCast(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  const project = await buildProject(cast);
  graph = await buildGraph(cast, project.id);
  node = (await addNode(cast.owner, graph, "Train")).metadata_id;
});

const block = '# /// script\n# dependencies = ["scikit-learn"]\n# ///\n';
const add = (name: string, client = cast.owner) => client.post(`/api/v3/objects/${node}/packages`, { name });
const codeOf = async () => (await readGraph(cast.owner, graph)).nodes[node]?.source_code ?? "";
const messages = async () =>
  (await cast.owner.get(`/api/v3/objects/${node}/commits`)).json<CommitPage>().commits.map(({ message }) => message);

describe("adding a package to a node", () => {
  it("commits the code with it, and shows it to everybody who has the code open", async () => {
    const socket = await connect(server, cast.owner);
    expect(await socket.enter(graph)).toBe(null);
    const code = new SharedCode(node);
    expect(await code.open(socket)).toBe(null);
    await until(() => code.epoch !== null, "no document came");
    const before = await codeOf();
    expect((await add("scikit-learn")).json()).toEqual({ committed: true });
    expect(await codeOf()).toBe(block + before);
    expect(await messages()).toEqual(["Add scikit-learn"]);
    await until(() => code.text === block + before, "the open document was not updated");
    socket.close();
  });

  it("leaves unsaved code unsaved", async () => {
    const socket = await connect(server, cast.editor);
    expect(await socket.enter(graph)).toBe(null);
    const code = new SharedCode(node);
    expect(await code.open(socket)).toBe(null);
    await until(() => code.epoch !== null, "no document came");
    const before = await codeOf();
    code.type(0, "# not yet\n");
    await expect
      .poll(async () => (await cast.owner.get(`/api/v3/graphs/${graph}/drafts`)).json<unknown[]>())
      .toHaveLength(1);
    expect((await add("scikit-learn")).json()).toEqual({ committed: false });
    await until(() => code.text === `${block}# not yet\n${before}`, "the package is not in the open document");
    expect(await codeOf()).toBe(before);
    expect(await messages()).toEqual([]);
    socket.close();
  });

  it("refuses bad input with clear words, and changes nothing", async () => {
    await add("scikit-learn");
    const before = await codeOf();
    const refusals: [string, number, string][] = [
      ["Scikit_Learn", 409, "This node asks for that package already."],
      ["-r x", 400, "That is not the name of a package."],
      ['six"]', 400, "That is not the name of a package."],
      ["six\n# x", 400, "That is not the name of a package."],
    ];
    for (const [name, status, words] of refusals) {
      const answer = await add(name);
      expect([name, answer.status, answer.text]).toEqual([name, status, expect.stringContaining(words)]);
    }
    expect((await add("six", cast.viewer)).status).toBe(403);
    expect((await add("six", cast.stranger)).status).toBe(404);
    await cast.owner.patch(`/api/v3/objects/${node}`, { locked: true });
    expect((await add("six")).text).toBe("This node is locked.");
    expect(await codeOf()).toBe(before);
  });
});
