import type { JobSummary } from "@miranda/contract/schemas/processors.ts";
import type { Member } from "@miranda/contract/schemas/members.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { findRedis } from "../../scripts/redis.ts";
import { markedBy } from "../engines/processes.ts";
import { TestRedis } from "../testing/services/redis.ts";
import type { ServerProcess } from "../testing/server-process.ts";
import { SocketListener, script, type Workbench } from "../testing/workbench.ts";
import { TcpProxy, expectEverySample, FaultBench, receivedNumber, numbersOf, printing, upTo } from "./fault-bench.ts";

const cookieOf = ({ owner }: Workbench): string =>
  [...owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");

describe.skipIf(!findRedis())("one of two servers is killed", { timeout: 120_000 }, () => {
  let redis: TestRedis;
  let fault: FaultBench;
  let proxy: TcpProxy;
  let agentsAt: ServerProcess;
  beforeAll(async () => {
    redis = await TestRedis.open();
  });
  afterAll(() => redis.close());
  afterEach(async () => {
    await fault.close();
    proxy.close();
  });

  async function openTwo(): Promise<ServerProcess> {
    // Like a load balancer: connects to a server that is alive.
    proxy = await TcpProxy.open(() => {
      const { hostname, port } = new URL(agentsAt.url);
      return { host: hostname, port: Number(port) };
    });
    fault = await FaultBench.open({
      REDIS_URL: redis.url,
      MIRANDA_SECRET_KEY: "the same for every server",
      MIRANDA_RUNNER_URL: `http://127.0.0.1:${proxy.port}`,
      MIRANDA_HEARTBEAT_SECONDS: "0.5",
      MIRANDA_LOST_SECONDS: "2",
      MIRANDA_PRESENCE_SECONDS: "3",
      MIRANDA_PROCESSORS: "1",
    });
    agentsAt = fault.server;
    return fault.another();
  }

  it("while its processor prints, the other server has every line, the cost and the commands", async () => {
    const other = await openTwo();
    let bench = await fault.workbench();
    await bench.node(printing(8));
    await bench.start();
    const ben = new SocketListener(other.url, cookieOf(bench));
    await ben.enter(bench.graphId);
    await bench.until("start", "-1", "RUNNING");
    await receivedNumber(bench, 15_000);
    await fault.server.kill("SIGKILL");
    agentsAt = other;
    // The person at the other server receives the end without doing anything.
    await ben.wait<JobSummary>("update[DOCKER_JOB]", (job) => job.id === bench.jobId && job.workflow_state === "READY");
    bench = await fault.follow(bench, other);
    expect(await numbersOf(bench)).toEqual(upTo(80_000));
    await expectEverySample(fault, bench.jobId);
    expect((await bench.run()).workflow_state).toBe("READY");
    await bench.until("stop", "", "EXITED");
    await expect.poll(async () => (await markedBy(`MIRANDA_JOB=${bench.jobId}`)).length).toBe(0);
    ben.close();
    bench.close();
  });

  it("its people disappear after their time, its queue moves on, and it comes back cleanly", async () => {
    const other = await openTwo();
    const first = await fault.workbench();
    await first.node(script("pass"));
    await first.start();
    const second = await fault.workbench();
    const made = await second.owner.post(`/api/v3/graphs/${second.graphId}/processor`, { tag: 7 });
    second.jobId = made.json<{ id: string }>().id;
    expect((await second.job()).workflow_state).toBe("QUEUED");
    const ben = new SocketListener(other.url, cookieOf(second));
    await ben.enter(first.graphId);
    const [{ members }] = ben.all<{ members: Member[] }>("project_members") as [{ members: Member[] }];
    expect(members).toHaveLength(2);
    await fault.server.kill("SIGKILL");
    agentsAt = other;
    await ben.wait<{ user: Member }>("left_project", ({ user }) => user.id === first.owner.account.id);
    // The other server stops the first session and starts the one that waited.
    const moved = await fault.follow(first, other);
    await moved.until("stop", "", "EXITED");
    const waiting = await fault.follow(second, other);
    await expect.poll(async () => (await waiting.job()).workflow_state, { timeout: 20_000 }).toBe("READY");
    await fault.restart();
    const back = await fault.follow(waiting);
    expect((await back.job()).workflow_state).toBe("READY");
    await ben.wait("entered_project", () => true);
    expect((await back.run()).workflow_state).toBe("READY");
    ben.close();
    moved.close();
    back.close();
  });
});
