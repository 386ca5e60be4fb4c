import { runArgs } from "@miranda/contract/command-args.ts";
import type { WorkflowState } from "@miranda/contract/processor.ts";
import type { JobSummary } from "@miranda/contract/schemas/processors.ts";
import type { Socket as TcpSocket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import type { TestAccount, TestServer } from "../../server/testing/test-server.ts";
import { connect } from "../../server/testing/test-socket.ts";
import type { Team } from "./people.ts";

/** A session that runs a short node again and again. */
export interface Rounds {
  jobId: string;
  /** Runs that were accepted, and calls whose answer was lost. */
  runs: number;
  inDoubt: number;
}

const ownerOf = ({ people }: Team): TestAccount => {
  const [owner] = people;
  if (!owner) throw new Error("A team has at least one person.");
  return owner;
};

export async function sessionOf(team: Team): Promise<JobSummary | undefined> {
  const answer = await ownerOf(team)
    .get(`/api/v3/graphs/${team.graphId}/processor`)
    .catch(() => undefined);
  return answer?.status === 200 ? (answer.json<JobSummary | null>() ?? undefined) : undefined;
}

/** Goes on waiting while the server is away. */
export async function untilState(team: Team, seconds: number, ...states: WorkflowState[]): Promise<JobSummary> {
  let job: JobSummary | undefined;
  for (const end = Date.now() + seconds * 1_000; Date.now() < end; await sleep(500)) {
    job = await sessionOf(team);
    if (job && states.includes(job.workflow_state)) return job;
  }
  throw new Error(`A session did not become ${states.join(" or ")}. It is ${job?.workflow_state ?? "unknown"}.`);
}

export async function runRounds(team: Team, isOver: () => boolean): Promise<Rounds> {
  const made = await ownerOf(team).post(`/api/v3/graphs/${team.graphId}/processor`, { tag: Date.now() });
  const rounds: Rounds = { jobId: made.json<{ id: string }>().id, runs: 0, inDoubt: 0 };
  while (!isOver()) {
    await untilState(team, 120, "READY");
    // Run all nodes: those without changes would not run again.
    const started = await ownerOf(team)
      .post(`/api/v3/graphs/${team.graphId}/processor/run`, { args: runArgs({ mode: "all" }) })
      .catch(() => undefined);
    if (started?.status === 200) rounds.runs += 1;
    else rounds.inDoubt += 1;
    await sleep(1_000);
  }
  await untilState(team, 120, "READY");
  return rounds;
}

export async function endSession(team: Team): Promise<void> {
  const job = await sessionOf(team);
  if (job) await ownerOf(team).put(`/api/v3/jobs/${job.id}/cancel`);
  if (job) await untilState(team, 60, "EXITED", "ERROR");
}

/** Enters a workflow and stops reading, as a hanging page does. Returns a function that ends it. */
export async function stallReader(url: string, team: Team): Promise<() => void> {
  const reader = await connect({ url } as TestServer, ownerOf(team));
  await reader.enter(team.graphId);
  const { transport } = reader.socket.io.engine as unknown as { transport: { ws: { _socket: TcpSocket } } };
  // Kept here: after the connection is closed, the transport no longer has it.
  const tcp = transport.ws._socket;
  tcp.pause();
  return () => {
    tcp.destroy();
    reader.close();
  };
}
