import { RunnerEvent } from "@miranda/contract/protocol/agent.ts";
import messages from "@miranda/contract/protocol/messages.json" with { type: "json" };
import type { JobSummary } from "@miranda/contract/schemas/processors.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { processesOf } from "../testing/engine-under-test.ts";
import { startTestServer, type TestServer } from "../testing/test-server.ts";
import { script, Workbench } from "../testing/workbench.ts";

// Random frames from node code for a minute: every session ends or continues cleanly, and nothing forbidden gets
// through.

const forAMinute = 60_000;

/** Node code that writes the output of a seeded generator: altered real messages, then random bytes. */
const fuzzer = (seed: number): string =>
  script(
    "import json, os, random, struct, threading, time",
    `chance = random.Random(${seed})`,
    `real = json.loads(${JSON.stringify(JSON.stringify(messages.accepted))})`,
    `bad = [one["message"] for one in json.loads(${JSON.stringify(JSON.stringify(messages.refused))})]`,
    "odd = [None, True, -1, 0, 1e308, 2**53, 2**63, '', 'x' * 3000, '\\ud800', '\\x00', [], {}, [[]], {'__proto__': 1}, 'usage', 'git-pull']",
    "def frame(kind, body): return struct.pack('>IB', len(body), kind) + body",
    "def bent():",
    "    message = dict(chance.choice(real))",
    "    for _ in range(chance.choice([0, 0, 1, 2])):",
    "        message[chance.choice([*message, 'node', 'number', 'extra'])] = chance.choice(odd)",
    "    return frame(0, json.dumps(message).encode())",
    "def noise():",
    "    way = chance.randrange(6)",
    "    if way == 0: return chance.randbytes(chance.randrange(1, 4000))",
    "    if way == 1: return frame(chance.randrange(256), chance.randbytes(chance.randrange(200)))",
    "    if way == 2: return struct.pack('>IB', chance.choice([2**32 - 1, 2**31, 17 << 20, 9]), chance.choice([0, 1, 3, 4])) + b'x' * 20",
    "    if way == 3: return frame(0, json.dumps(chance.choice(bad)).encode())",
    "    if way == 4: return frame(0, b'{' * chance.choice([1, 300, 100000]))",
    "    return frame(4, chance.randbytes(8)) + frame(chance.choice([1, 2, 3]), chance.randbytes(300))",
    // The channel to the agent is its parent's; its own socket leads to the worker.
    "channel = os.open(f'/proc/{os.getppid()}/fd/4', os.O_WRONLY)",
    "for _ in range(chance.randrange(1, 200)): os.write(channel, bent())",
    "for _ in range(chance.randrange(0, 4)): os.write(channel, noise())",
    "own = [int(fd) for fd in os.listdir('/proc/self/fd') if os.path.exists(f'/proc/self/fd/{fd}') and os.readlink(f'/proc/self/fd/{fd}').startswith('socket:')]",
    "for _ in range(chance.choice([0, 0, 3])): os.write(own[0], noise())",
    "time.sleep(0.05)",
  );

describe("an agent whose node code writes random frames", { timeout: 300_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  it("accepts only listed messages, ends only that session, and harms nobody else", async () => {
    const honest = await Workbench.open(server);
    const other = await honest.node(script("pass"));
    await honest.start();
    const bench = await Workbench.open(server);
    const node = await bench.node(fuzzer(0));
    const until = Date.now() + forAMinute;
    const ends = new Map<string, number>();
    let rounds = 0;
    for (; (Date.now() < until || rounds <= 20) && rounds < 500; rounds++) {
      await bench.code(node, fuzzer(rounds));
      const isAlive = rounds > 0 && ["READY"].includes((await bench.job()).workflow_state);
      if (!isAlive) await bench.start();
      const since = bench.listener.received.length;
      await bench.send("run");
      // Noise may begin a frame that never ends. It can hold up its own run only, until a person ends it.
      const stop = setTimeout(() => void bench.send("force-stop", String(node)), 15_000);
      const { workflow_state } = await bench.listener.wait<JobSummary>(
        "update[DOCKER_JOB]",
        (job) => job.id === bench.jobId && ["READY", "RESUMEREADY", "ERROR", "EXITED"].includes(job.workflow_state),
        since,
      );
      clearTimeout(stop);
      ends.set(workflow_state, (ends.get(workflow_state) ?? 0) + 1);
      // A forged pause is a pause: stopping must work. What was written after it may have ended the session already.
      if (workflow_state === "RESUMEREADY") {
        expect([200, 404]).toContain((await bench.send("stop")).status);
        await bench.state(since, "EXITED", "ERROR");
      } else if (workflow_state === "READY" && (await bench.job()).workflow_state !== "READY")
        await bench.state(since, "ERROR");
    }
    expect(rounds).toBeGreaterThan(20);
    expect([...ends.keys()].filter((state) => state === "EXITED")).toEqual([]);

    // Nothing forbidden was stored: charges are the agent's own, and nodes belong to this workflow.
    const { rows } = await sql<{ sum: number; most: number }>`
      select coalesce(sum(seconds), 0) as sum, coalesce(max(cpu_seconds), 0) as most from usage_samples`.execute(
      server.db,
    );
    expect(rows[0]?.sum).toBeLessThan((Date.now() - until + forAMinute) / 500);
    expect(rows[0]?.most).toBeLessThan(60);
    for (const table of ["job_nodes", "job_outputs"] as const) {
      const named = await server.db.selectFrom(table).select("node_id").where("node_id", "not in", [node, 0]).execute();
      expect(named).toEqual([]);
    }

    // The other session and the server still work.
    await honest.code(other, script("print('still here')"));
    await honest.run();
    expect((await honest.lines()).at(-1)?.[1]).toBe("still here");
    expect((await honest.owner.get("/api/v3/projects/")).status).toBe(200);
    if (["READY", "RUNNING"].includes((await bench.job()).workflow_state))
      await bench.until("stop", "", "EXITED", "ERROR");
    await expect.poll(async () => (await processesOf(bench.jobId)).length, { timeout: 15_000 }).toBe(0);
    bench.close();
    honest.close();
  });

  it("would be refused by the server too if it passed on unlisted messages", () => {
    const handed = messages.refused.filter(({ message }) => RunnerEvent.safeParse(message).success);
    // The rest are messages that only an agent may send.
    const own = new Set(["usage", "state", "log", "partial", "withdraw", "done"]);
    expect(handed.filter(({ message }) => !own.has(String(message.kind)))).toEqual([]);
  });
});
