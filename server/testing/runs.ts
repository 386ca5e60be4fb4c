import { runArgs } from "@miranda/contract/command-args.ts";
import { RunDetails, RunPage } from "@miranda/contract/schemas/runs.ts";
import { expect } from "vitest";

import { hashToken, newId } from "../platform/crypto.ts";
import type { Db } from "../platform/database/database.ts";
import type { TestClient } from "./test-client.ts";
import type { TestServer } from "./test-server.ts";
import type { Workbench } from "./workbench.ts";

/** The runs of a workbench's graph, newest first. */
export async function listRuns(bench: Workbench, query = ""): Promise<RunPage["runs"]> {
  const answer = await bench.owner.get(`/api/v3/runs?graph_id=${bench.graphId}${query}`);
  return RunPage.parse(answer.json()).runs;
}

export async function readRun(bench: Workbench, id: string): Promise<RunDetails> {
  return RunDetails.parse((await bench.owner.get(`/api/v3/runs/${id}`)).json());
}

/** The newest run, once it has ended. */
export async function endedRun(bench: Workbench): Promise<RunDetails> {
  await expect.poll(async () => (await listRuns(bench))[0]?.time_ended ?? null, { timeout: 20_000 }).not.toBeNull();
  return readRun(bench, (await listRuns(bench))[0]?.id ?? "");
}

/** The newest run, once it has its version: that is made beside the run. */
export async function versionedRun(bench: Workbench): Promise<RunDetails> {
  await expect.poll(async () => (await listRuns(bench))[0]?.version ?? null).not.toBeNull();
  return endedRun(bench);
}

/** A run of a workflow that has ended, without its session. */
export async function addRun(db: Db, graphId: string, accountId: string): Promise<string> {
  const id = newId();
  await db
    .insertInto("runs")
    .values({
      ...{ id, graph_id: graphId, account_id: accountId, job_id: newId(), session_tag: 1, session_name: "S" },
      ...{ number: 1, command: 1, mode: "all", graph_revision: 1, first_line: 1, state: "done", ended_at: new Date() },
    })
    .execute();
  return id;
}

/** A session whose agent is the test itself, with a run that has just begun. */
export class ForgedRun {
  readonly runId: string;
  readonly jobId: string;
  readonly command: number;
  readonly #bench: Workbench;
  readonly #agent: TestClient;
  #next = 1;

  private constructor(bench: Workbench, agent: TestClient, given: { runId: string; jobId: string; command: number }) {
    this.#bench = bench;
    this.#agent = agent;
    this.runId = given.runId;
    this.jobId = given.jobId;
    this.command = given.command;
  }

  static async begin(server: TestServer, bench: Workbench, given: object = {}): Promise<ForgedRun> {
    const jobId = newId();
    const token = newId();
    const row = { id: jobId, tag: 1, graph_id: bench.graphId, account_id: bench.owner.account.id, name: "Flow" };
    const seen_at = new Date(Date.now() + 3_600_000);
    await server.db
      .insertInto("jobs")
      .values({
        ...{ ...row, engine: "local", state: "READY", token_hash: hashToken(token), total_cost: null, seen_at },
        ...given,
      })
      .execute();
    bench.jobId = jobId;
    const answer = await bench.send("run", runArgs({ mode: "all" }));
    if (answer.status !== 200) throw new Error(answer.text);
    const agent = server.anonymous();
    agent.headers = { authorization: `Bearer ${token}` };
    const { commands } = (await agent.get(`/api/runner/${jobId}/commands?wait=0`)).json<{
      commands: { number: number; run: number }[];
    }>();
    const runId = (await listRuns(bench))[0]?.id ?? "";
    return new ForgedRun(bench, agent, { runId, jobId, command: commands[0]?.number ?? 0 });
  }

  /** What the agent's clock shows when it posts, in seconds. */
  clock: number | undefined;

  async post(...events: object[]): Promise<number> {
    const path = `/api/runner/${this.jobId}/events${this.clock === undefined ? "" : `?clock=${this.clock}`}`;
    const { status } = await this.#agent.postJson(path, { first: this.#next, events });
    if (status === 200) this.#next += events.length;
    return status;
  }

  /** The end of the run, as its worker reports it. */
  done(more: object = {}): object {
    return { kind: "done", command: "run", number: this.command, run: 1, good: true, ...more };
  }

  state(name: string, more: object = {}): object {
    return { kind: "state", state: name, command: this.command, ...more };
  }

  read(): Promise<RunDetails> {
    return readRun(this.#bench, this.runId);
  }
}
