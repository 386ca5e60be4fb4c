import { readFile } from "node:fs/promises";
import type { Socket as TcpSocket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";

import { type SocketListener, listen, script } from "../testing/workbench.ts";
import { FaultBench } from "./fault-bench.ts";

let fault: FaultBench | undefined;
afterEach(async () => {
  await fault?.close();
  fault = undefined;
});

async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
}

/** Stops reading what the server sends, as a browser does whose page hangs. */
function stall({ socket }: SocketListener): void {
  const { transport } = socket.io.engine as unknown as { transport: { ws: { _socket: TcpSocket } } };
  transport.ws._socket.pause();
}

describe("a socket that stops reading while a node prints (fault 12)", () => {
  it("costs the server no memory, and is closed", { timeout: 120_000 }, async () => {
    fault = await FaultBench.open({ MIRANDA_LOG_MB: "5", LOG_LEVEL: "warn" });
    const bench = await fault.workbench();
    await bench.node(script("n = 0", "while True:", "    print('line', n); n += 1"));
    await bench.start();
    await bench.owner.post(`/api/v3/graphs/${bench.graphId}/processor/start`, { args: "-1" });
    const { pid } = fault.server;
    const highest = async (seconds: number): Promise<number> => {
      let most = 0;
      for (let at = 0; at < seconds * 4; at += 1) {
        most = Math.max(most, await residentMegabytes(pid));
        await sleep(250);
      }
      return most;
    };
    bench.listener.socket.onAny(() => (bench.listener.received.length = 0));
    const reading = await highest(10);
    const stalled = await listen(fault.server, bench.owner, bench.graphId);
    stalled.socket.io.reconnection(false);
    stall(stalled);
    const beside = await highest(10);
    expect(beside - reading).toBeLessThan(100);
    await expect
      .poll(() => fault?.server.output(), { timeout: 30_000 })
      .toContain("closed a connection that does not read its events");
    await bench.owner.put(`/api/v3/jobs/${bench.jobId}/cancel`);
    bench.close();
  });
});
