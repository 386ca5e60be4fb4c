import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { endedRun } from "../testing/runs.ts";
import { startTestServer, type TestAccount, type TestServer } from "../testing/test-server.ts";
import { giveToken, script, Workbench } from "../testing/workbench.ts";

// Personal secrets belong to the person who runs (H2).

describe("personal secrets", { timeout: 60_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  async function editorOf(bench: Workbench): Promise<TestAccount> {
    const editor = await server.signUp();
    await giveToken(editor);
    const form = { user: editor.account.username, role: "editor" };
    const added = await bench.owner.post(`/api/v3/projects/${bench.projectId}/members`, form);
    expect([added.status, added.text.slice(0, 100)]).toEqual([200, expect.anything()]);
    return editor;
  }

  /** The owner's session, whose node code keeps asking for a secret, and an editor with a secret of their own. */
  async function asking(): Promise<{ bench: Workbench; editor: TestAccount }> {
    const bench = await Workbench.open(server);
    const editor = await editorOf(bench);
    await editor.post("/api/v3/secrets", { key: "token", value: "the editor's own" });
    const lines = [
      "import threading, time",
      "def ask():",
      "    while True:",
      "        try: print('got', len(secret('token')), time.time(), flush=True)",
      "        except KeyError: print('refused', time.time(), flush=True)",
      "        time.sleep(0.05)",
      "threading.Thread(target=ask, daemon=True).start()",
    ];
    const node = await bench.node(script(...lines));
    await bench.owner.patch(`/api/v3/objects/${node}`, { git: "https://127.0.0.1:1/nobody", git_branch: "" });
    await bench.start();
    await bench.run();
    return { bench, editor };
  }
  const got = async (bench: Workbench) => (await bench.lines()).filter(([, text]) => text.startsWith("got"));

  it.each(["stop", "restart", "git-pull"])("are not lent to node code by the command %s (H2)", async (command) => {
    const { bench, editor } = await asking();
    const given = await editor.post(`/api/v3/graphs/${bench.graphId}/processor/${command}`, {});
    expect([given.status, given.text.slice(0, 100)]).toEqual([200, expect.anything()]);
    // Its thread ends with the session, and goes on beside a pull.
    const most = command === "git-pull" ? 10 : 0;
    await expect.poll(async () => (await bench.lines()).length, { timeout: 10_000 }).toBeGreaterThan(most);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await got(bench)).toEqual([]);
    await bench.owner.put(`/api/v3/jobs/${bench.jobId}/cancel`);
    bench.close();
  });

  it("are lent for the length of a run and no longer", async () => {
    const { bench, editor } = await asking();
    const given = await editor.post(`/api/v3/graphs/${bench.graphId}/processor/run`, {});
    expect(given.status).toBe(200);
    // Not by its state: what the run before used is published after it, and says READY again.
    await endedRun(bench);
    // An answer that was given before the end may be printed a moment after it.
    const ended = Date.now() / 1_000 + 2;
    // Lines arrive in their order, some of them after the run has ended.
    const later = async () =>
      (await bench.lines()).map(([, text]) => text.split(" ")).filter((words) => Number(words.at(-1)) > ended);
    await expect.poll(async () => (await later()).length).toBeGreaterThan(10);
    expect((await later()).map(([word]) => word)).not.toContain("got");
    bench.close();
  });

  it("are not read by somebody else who evaluates code in a paused run", async () => {
    const bench = await Workbench.open(server);
    const editor = await editorOf(bench);
    await bench.owner.post("/api/v3/secrets", { key: "mine", value: "of the owner" });
    const node = await bench.node(script("import miranda", "x = 1", "y = len(miranda.secret('mine'))", "print(y)"));
    await bench.start();
    const evaluate = (person: typeof editor, expression: string) =>
      person.post(`/api/v3/graphs/${bench.graphId}/processor/evaluate`, { args: btoa(expression) });
    const received = () => bench.listener.all<{ expression: string; error: string | null; value: unknown }>("evaluate");

    await bench.run({ [node]: [7] });
    expect((await evaluate(editor, "miranda.secret('mine')[::-1]")).status).toBe(200);
    await expect.poll(() => received().length).toBe(1);
    expect(received()[0]?.error).toContain("There is no secret 'mine' in this run");
    // The owner's own run then goes without it, and the log says why.
    const since = bench.listener.received.length;
    await bench.send("continue");
    await bench.state(since, "READY");
    expect(JSON.stringify(bench.listener.all("exception").at(-1))).toContain("somebody else has evaluated code in it");

    await bench.run({ [node]: [8] });
    const refused = await evaluate(editor, "y");
    expect([refused.status, refused.text]).toEqual([
      403,
      "This run uses personal secrets of the person who started it, so only that person can evaluate code in it.",
    ]);
    expect((await evaluate(bench.owner, "y")).status).toBe(200);
    await expect.poll(() => received().at(-1)?.value).toBe(12);
    bench.close();
  });

  it("for git are never given to node code", async () => {
    const bench = await Workbench.open(server);
    await bench.owner.post("/api/v3/secrets", { key: "ssh.example.org", value: "a private key" });
    await bench.node(script("try: print(secret('ssh.example.org'))", "except KeyError as error: print(error)"));
    await bench.start();
    await bench.run();
    expect((await bench.lines()).at(-1)?.[1]).toContain("is for git commands");
    bench.close();
  });
});
