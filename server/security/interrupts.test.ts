import type { RunEndedEvent } from "@miranda/contract/schemas/processors.ts";
import type { AskForPasswordEvent } from "@miranda/contract/schemas/realtime.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startTestServer, type TestAccount, type TestServer } from "../testing/test-server.ts";
import { forge, giveToken, script, Workbench } from "../testing/workbench.ts";

// Who may interrupt, keep and answer, and what node code may claim about it.

let server: TestServer;
let bench: Workbench;
let reader: TestAccount;
let editor: TestAccount;
beforeAll(async () => {
  server = await startTestServer();
  bench = await Workbench.open(server);
  await bench.node(script("pass"), "Train");
  await bench.start();
  [reader, editor] = [await server.signUp(), await server.signUp()];
  for (const account of [reader, editor]) await giveToken(account);
  const form = { user: editor.account.username, role: "editor" };
  await bench.owner.post(`/api/v3/projects/${bench.projectId}/members`, form);
});
afterAll(async () => {
  bench.close();
  await server.close();
});

describe("who may do what", () => {
  const doors = () => ({
    interrupt: (account: Pick<TestAccount, "post" | "put">) =>
      account.post(`/api/v3/graphs/${bench.graphId}/processor/interrupt`, { args: "" }),
    "force-stop": (account: Pick<TestAccount, "post" | "put">) =>
      account.post(`/api/v3/graphs/${bench.graphId}/processor/force-stop`, { args: "1" }),
    keep: (account: Pick<TestAccount, "post" | "put">) => account.put(`/api/v3/jobs/${bench.jobId}/keep`),
    answer: (account: Pick<TestAccount, "post" | "put">) =>
      account.post(`/api/v3/graphs/${bench.graphId}/processor/answers`, { question: "no.1", answer: "x" }),
  });

  it.each(["interrupt", "force-stop", "keep", "answer"] as const)("%s follows the access table", async (name) => {
    const ask = doors()[name];
    expect((await ask(server.anonymous())).status).toBe(401);
    expect((await ask(reader)).status).toBe(403);
    // Nothing runs and nothing was asked, but access was granted.
    expect((await ask(editor)).status).toBe(name === "keep" ? 200 : 409);
    await bench.owner.patch(`/api/v3/projects/${bench.projectId}`, { visibility: "private" });
    expect((await ask(reader)).status).toBe(404);
    await bench.owner.patch(`/api/v3/projects/${bench.projectId}`, { visibility: "public" });
  });

  it("refuses bad ids of sessions, questions and answers, and changes nothing", async () => {
    const path = `/api/v3/graphs/${bench.graphId}/processor/answers`;
    for (const body of [
      {},
      { answer: "x" },
      { question: "q".repeat(101), answer: "" },
      { question: "q", answer: "x".repeat(65_537) },
    ])
      expect((await bench.owner.post(path, body)).status).toBe(400);
    expect((await bench.owner.put("/api/v3/jobs/none/keep")).status).toBe(404);
    expect((await bench.owner.put("/api/v3/jobs/01900000-0000-7000-8000-000000000000/keep")).status).toBe(404);
    expect((await bench.job()).workflow_state).toBe("READY");
  });
});

describe("node code that lies", () => {
  async function attack(...lines: string[]): Promise<Workbench> {
    const liar = await Workbench.open(server);
    await liar.node(script(...forge, ...lines), "Liar");
    await liar.start();
    return liar;
  }

  it("cannot report an interrupt that nobody asked for", async () => {
    const liar = await attack(
      "send({'kind': 'interrupting', 'seconds': 9, 'nodes': [{'node': 1, 'line': 1, 'function': 'click here'}]})",
      "time.sleep(0.5)",
    );
    await liar.run();
    expect(liar.listener.all("interrupting")).toEqual([]);
    liar.close();
  });

  it("cannot blame a node of another workflow for the end of its run", async () => {
    const foreign = await bench.node(script("pass"), "Foreign");
    const liar = await attack(
      `for number in range(1, 20): send({'kind': 'done', 'command': 'run', 'number': number, 'failed': [${foreign}, 9999999]})`,
      "time.sleep(0.5)",
    );
    await liar.until("start", "-1", "RUNNING");
    const event = await liar.listener.wait<RunEndedEvent>("run_ended");
    expect(event.failed).toEqual([]);
    expect((await liar.lines()).map(([, text]) => text).join("\n")).not.toContain("Foreign");
    liar.close();
  });

  it("cannot ask in another node's name, nor read the answer to another question", async () => {
    const foreign = await bench.node(script("pass"), "Foreign");
    const liar = await attack(
      `send({'kind': 'ask_password', 'question': 77, 'prompt': 'Your name?', 'hidden': False, 'node': ${foreign}})`,
      "time.sleep(600)",
    );
    await liar.until("start", "-1", "RUNNING");
    const asked = await liar.listener.wait<AskForPasswordEvent>("ask_for_password");
    expect(asked).toMatchObject({ hidden: false, wob_key: null });
    // The question's name in its own session only.
    const answer = { question: asked.question ?? "", answer: "x" };
    const elsewhere = `/api/v3/graphs/${bench.graphId}/processor/answers`;
    expect((await bench.owner.post(elsewhere, answer)).status).toBe(409);
    await liar.until("stop", "", "EXITED");
    const late = await liar.owner.post(`/api/v3/graphs/${liar.graphId}/processor/answers`, answer);
    expect([late.status, late.text]).toEqual([409, "Nobody waits for this answer any more."]);
    liar.close();
  });
});
