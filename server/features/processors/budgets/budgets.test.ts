import { runArgs } from "@miranda/contract/command-args.ts";
import type { NotificationPage } from "@miranda/contract/schemas/news/notifications.ts";
import { RunDetails, type RunEvent, RunPage } from "@miranda/contract/schemas/runs.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readConfig } from "../../../platform/settings/config.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../../testing/test-server.ts";
import { giveToken, script, Workbench } from "../../../testing/workbench.ts";

let server: TestServer;
beforeAll(async () => {
  const { processors } = readConfig({ LOG_LEVEL: "silent" });
  // A credit for a second, so that a limit is reached soon.
  server = await startTestServer({ processors: { ...processors, prices: { coreHour: 0, ramGbHour: 0, hour: 3_600 } } });
});
afterAll(() => server.close());

/** Node code that goes on until somebody stops it, or until a file says so. */
const endless = script("import time", "while True:", "    time.sleep(0.01)");
const seconds = (count: number) =>
  script("import time", "end = time.time() + 999", `for _ in range(${count * 100}):`, "    time.sleep(0.01)");

async function newest(bench: Workbench): Promise<RunDetails> {
  const [run] = RunPage.parse((await bench.owner.get(`/api/v3/runs?graph_id=${bench.graphId}`)).json()).runs;
  return RunDetails.parse((await bench.owner.get(`/api/v3/runs/${run?.id}`)).json());
}

async function begin(bench: Workbench, code: string, budget?: number): Promise<void> {
  await bench.node(code, "Train");
  await bench.start();
  const answer = await bench.send("run", runArgs({ mode: "all", budget }));
  if (answer.status !== 200) throw new Error(answer.text);
}

/** The run, once it waits for an answer and its session is paused. */
async function asked(bench: Workbench): Promise<RunDetails> {
  await bench.listener.wait<RunEvent>("update[RUN]", ({ run }) => run.budget_question !== undefined);
  await expect.poll(async () => (await newest(bench)).state, { timeout: 20_000 }).toBe("paused");
  return newest(bench);
}

const raise = (person: TestAccount, runId: string, by: number | string = 5) =>
  person.post(`/api/v3/runs/${runId}/budget`, { by });

async function member(bench: Workbench, role: "editor" | "viewer"): Promise<TestAccount> {
  const person = await server.signUp();
  await giveToken(person);
  const form = { user: person.account.username, role };
  await bench.owner.post(`/api/v3/projects/${bench.projectId}/members`, form);
  return person;
}

/** As if people had been asked so long ago. */
const age = (runId: string, time: string) =>
  sql`update runs set budget_asked_at = budget_asked_at - ${time}::interval where id = ${runId}`.execute(server.db);

async function ended(bench: Workbench): Promise<void> {
  await expect.poll(async () => (await newest(bench)).time_ended !== null, { timeout: 30_000 }).toBe(true);
}

describe("a run with a limit", () => {
  it("pauses when it is reached, asks its people, and goes on when somebody lets it", async () => {
    const bench = await Workbench.open(server);
    await begin(bench, seconds(6), 2);
    const run = await asked(bench);
    expect(run.budget_question).toMatchObject({ limit: "run", of: 2 });
    expect(run.budget_question?.spent).toBeGreaterThanOrEqual(2);
    const waits = Date.parse(run.budget_question?.time_stops ?? "") - Date.parse(run.budget_question?.time_asked ?? "");
    expect(waits).toBe(30 * 60_000);
    await expect
      .poll(async () => (await bench.owner.get("/api/v3/notifications")).json<NotificationPage>().notifications)
      .toMatchObject([{ kind: "budget_reached", title: "Flow waits for you", run_id: run.id }]);
    expect((await raise(bench.owner, run.id, 50)).status).toBe(200);
    await ended(bench);
    const after = await newest(bench);
    expect(after).toMatchObject({ state: "done", reason: "" });
    expect(after.budget_question).toBeUndefined();
    expect(after.budget).toBeGreaterThan(50);
    bench.close();
  });

  it("asks again at the next limit", async () => {
    const bench = await Workbench.open(server);
    await begin(bench, endless, 1);
    const first = await asked(bench);
    await raise(bench.owner, first.id, 1);
    await expect
      .poll(async () => (await newest(bench)).budget_question?.of ?? 0)
      .toBeGreaterThan(first.budget_question?.of ?? 0);
    await bench.send("stop");
    await ended(bench);
    bench.close();
  });

  it("is answered once when two people answer at the same time", async () => {
    const bench = await Workbench.open(server);
    const editor = await member(bench, "editor");
    await begin(bench, endless, 1);
    const { id } = await asked(bench);
    const answers = await Promise.all([raise(bench.owner, id, 40), raise(editor, id, 40)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.text).toBe("This run does not wait for an answer. Somebody may have answered already.");
    expect((await newest(bench)).budget).toBeLessThan(60);
    await bench.send("stop");
    await ended(bench);
    const late = await raise(bench.owner, id);
    expect(late.status).toBe(409);
    bench.close();
  });

  it("is answered only by those who may change the workflow, and with an amount", async () => {
    const bench = await Workbench.open(server);
    await bench.owner.patch(`/api/v3/projects/${bench.projectId}`, { visibility: "private" });
    const [viewer, stranger] = [await member(bench, "viewer"), await server.signUp()];
    await begin(bench, endless, 1);
    const { id } = await asked(bench);
    expect((await raise(viewer, id)).status).toBe(403);
    expect((await raise(stranger, id)).status).toBe(404);
    for (const by of [0, -5, "much", 1e12]) {
      const answer = await raise(bench.owner, id, by);
      expect([answer.status, answer.text]).toEqual([400, "The amount must be a number from 0.01 to 1000000000."]);
    }
    expect((await newest(bench)).state).toBe("paused");
    await bench.send("stop");
    await ended(bench);
    bench.close();
  });

  it("is stopped with the reason when nobody answers, whichever server looks", async () => {
    const bench = await Workbench.open(server);
    await begin(bench, endless, 1);
    const { id } = await asked(bench);
    await age(id, "31 minutes");
    await ended(bench);
    const run = await newest(bench);
    expect(run.state).toBe("lost");
    expect(run.reason).toMatch(
      /^The session was stopped: this run has cost \$\d+\.\d\d of \$1\.00\. Nobody answered for 30 minutes\.$/,
    );
    bench.close();
  });

  it("is interrupted, then stopped, when it is in code that does not pause", async () => {
    const bench = await Workbench.open(server);
    await begin(bench, script("sum(range(10**12))"), 1);
    await bench.listener.wait<RunEvent>("update[RUN]", ({ run }) => run.budget_question !== undefined);
    const { id, state } = await newest(bench);
    expect(state).toBe("running");
    await age(id, "31 seconds");
    await expect
      .poll(
        async () =>
          (await server.db.selectFrom("runs").select("budget_question").where("id", "=", id).executeTakeFirst())
            ?.budget_question?.interrupted,
        { timeout: 20_000 },
      )
      .toBe(true);
    const late = await raise(bench.owner, id);
    expect(late.status).toBe(409);
    await age(id, "31 seconds");
    await ended(bench);
    const run = await newest(bench);
    expect(run.reason).toBe("It reached its limit and could not be paused, so it was interrupted.");
    bench.close();
  });

  it("goes on by itself when somebody answered before it could pause", async () => {
    const bench = await Workbench.open(server);
    // For five seconds it is in C, where no pause reaches it. Then in Python, where one does.
    const inC = "all(map((time.monotonic() + 5).__gt__, iter(time.monotonic, None)))";
    const code = script("import time", inC, "for _ in range(200):", "    time.sleep(0.01)");
    await begin(bench, code, 1);
    await bench.listener.wait<RunEvent>("update[RUN]", ({ run }) => run.budget_question !== undefined);
    const { id } = await newest(bench);
    expect((await raise(bench.owner, id, 90)).status).toBe(200);
    await ended(bench);
    expect((await newest(bench)).state).toBe("done");
    expect(bench.listener.all<{ reason: string }>("break").map(({ reason }) => reason)).toEqual(["pause"]);
    bench.close();
  });

  it("stays at its breakpoint, where nobody continues it before it may cost more", async () => {
    const bench = await Workbench.open(server);
    const node = await bench.node(script("total = 1", "print(total)"), "Train");
    await bench.start();
    const args = runArgs({ mode: "all", budget: 1, breakpoints: { [node]: [6] } });
    await bench.until("run", args, "RESUMEREADY");
    await bench.listener.wait<RunEvent>("update[RUN]", ({ run }) => run.budget_question !== undefined);
    const { id } = await newest(bench);
    for (const command of ["continue", "step-over"]) {
      const answer = await bench.send(command);
      expect([answer.status, answer.text]).toEqual([409, "This run has reached its limit. Allow it more, or stop it."]);
    }
    await raise(bench.owner, id, 50);
    expect((await newest(bench)).state).toBe("paused");
    const since = bench.listener.received.length;
    await bench.send("continue");
    await bench.state(since, "READY");
    expect((await newest(bench)).state).toBe("done");
    bench.close();
  });

  it("can be answered at another server, after the one that asked is gone", async () => {
    const bench = await Workbench.open(server);
    await begin(bench, seconds(5), 1);
    const { id } = await asked(bench);
    const twin = await server.twin();
    const cookie = [...bench.owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(`${twin.url}/api/v3/runs/${id}/budget`, {
      method: "POST",
      headers: { cookie },
      body: new URLSearchParams({ by: "60" }),
    });
    expect(answer.status).toBe(200);
    await ended(bench);
    expect((await newest(bench)).state).toBe("done");
    await twin.close();
    bench.close();
  });
});

describe("the limits of a project", () => {
  const address = (bench: Workbench) => `/api/v3/projects/${bench.projectId}/budgets`;

  it("are set by its owner, and an empty field removes one", async () => {
    const bench = await Workbench.open(server);
    const editor = await member(bench, "editor");
    expect((await editor.get(address(bench))).json()).toEqual({ run_budget: null, day_budget: null, spent_today: 0 });
    const limits = { run_budget: 2, day_budget: "" };
    expect((await editor.put(address(bench), limits)).status).toBe(403);
    expect((await bench.owner.put(address(bench), limits)).json()).toMatchObject({ run_budget: 2, day_budget: null });
    for (const wrong of [0, -1, "x"]) {
      const answer = await bench.owner.put(address(bench), { run_budget: wrong, day_budget: "" });
      expect(answer.status).toBe(400);
      expect(answer.text).toContain("run_budget must be a number from 0.01 to 1000000000.");
    }
    expect((await bench.owner.get(address(bench))).json()).toMatchObject({ run_budget: 2, day_budget: null });
    bench.close();
  });

  it("apply to every run: the lower one counts", async () => {
    const bench = await Workbench.open(server);
    await bench.owner.put(address(bench), { run_budget: 2, day_budget: "" });
    await begin(bench, script("print('x')"), 90);
    await ended(bench);
    expect((await newest(bench)).budget).toBe(2);
    bench.close();
  });

  it("of a day pause a run, which only the owner lets go on, and refuse the next one with the owner's name", async () => {
    const bench = await Workbench.open(server);
    const editor = await member(bench, "editor");
    await bench.owner.put(address(bench), { run_budget: "", day_budget: 2 });
    await begin(bench, endless);
    const run = await asked(bench);
    expect(run.budget_question).toMatchObject({ limit: "day", of: 2 });
    const refused = await raise(editor, run.id);
    expect([refused.status, refused.text]).toEqual([
      403,
      "Only the owner of the project may let a run go past the limit of the day.",
    ]);
    expect((await raise(bench.owner, run.id, 30)).status).toBe(200);
    await expect.poll(async () => (await newest(bench)).state).toBe("running");
    const since = bench.listener.received.length;
    await bench.send("interrupt");
    await bench.state(since, "READY");
    const { first_name, last_name } = bench.owner.account;
    const check = await bench.owner.post(`/api/v3/graphs/${bench.graphId}/run-check`, { args: "" });
    const next = await bench.send("run", runArgs({ mode: "all" }));
    for (const answer of [check, next]) {
      expect(answer.status).toBe(402);
      expect(answer.text).toMatch(/^This project has cost \$\d+\.\d\d of \$2\.00 today\. /);
      expect(answer.text).toContain(`${first_name} ${last_name} can change this limit.`);
    }
    await bench.owner.put(address(bench), { run_budget: "", day_budget: "" });
    expect((await bench.send("run", runArgs({ mode: "all" }))).status).toBe(200);
    await bench.send("stop");
    await ended(bench);
    bench.close();
  });

  it("of a day hold for an editor who gives a run a lower limit and raises that", async () => {
    const bench = await Workbench.open(server);
    const editor = await member(bench, "editor");
    await bench.owner.put(address(bench), { run_budget: "", day_budget: 6 });
    await begin(bench, endless, 1);
    const first = await asked(bench);
    expect(first.budget_question).toMatchObject({ limit: "run", of: 1 });
    const since = bench.listener.received.length;
    expect((await raise(editor, first.id, 1e6)).status).toBe(200);
    await bench.listener.wait<RunEvent>("update[RUN]", ({ run }) => run.budget_question?.limit === "day", since);
    expect((await raise(editor, first.id, 1e6)).status).toBe(403);
    await bench.send("stop");
    await ended(bench);
    bench.close();
  });
});
