import { createServer, type AddressInfo } from "node:net";
import { networkInterfaces, totalmem } from "node:os";
import { describe, expect, it, onTestFinished } from "vitest";

import { readConfig } from "../platform/settings/config.ts";
import { startTestServer } from "../testing/test-server.ts";
import { script, Workbench } from "../testing/workbench.ts";

const ownAddress = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;

async function openBench(environment: Record<string, string>): Promise<Workbench> {
  const server = await startTestServer({ processors: readConfig(environment).processors });
  const bench = await Workbench.open(server);
  onTestFinished(async () => {
    bench.close();
    await server.close();
  });
  return bench;
}

describe("the network use of a session", () => {
  const conversation = (address: string, port: number): string =>
    script(
      "import socket, time",
      `peer = socket.create_connection(('${address}', ${port}))`,
      "for _ in range(3):",
      "    peer.sendall(bytes(1_000_000))",
      "    left = 1_000_000",
      "    while left: left -= len(peer.recv(left))",
      // The agent measures every 2 s.
      "time.sleep(6)",
      "print('there and back')",
    );

  /** The network usage of a session that talks to this address. */
  async function measure(address: string, environment: Record<string, string>): Promise<number[]> {
    // Echoes what it receives.
    const listener = createServer((socket) => socket.on("error", () => undefined).pipe(socket));
    await new Promise<void>((resolve) => listener.listen(0, address, resolve));
    onTestFinished(() => void listener.close());
    const { port } = listener.address() as AddressInfo;
    const bench = await openBench(environment);
    await bench.node(conversation(address, port));
    await bench.start();
    await bench.run();
    expect((await bench.lines()).at(-1)?.[1]).toBe("there and back");
    const job = await bench.job();
    return [job.net_rx_gb, job.net_tx_gb];
  }

  it.skipIf(ownAddress === undefined)("is measured in the machine's own network", { timeout: 60_000 }, async () => {
    for (const used of await measure(ownAddress ?? "", { MIRANDA_ENGINE: "local", MIRANDA_SANDBOX: "off" })) {
      expect(used).toBeGreaterThanOrEqual(0.003);
      expect(used).toBeLessThan(0.004);
    }
  });
});

describe("the memory of a session without a policy", () => {
  it.each([
    ["half of the machine's", {}, totalmem() / 2e9],
    ["what is set", { MIRANDA_PROCESSOR_RAM_GB: "1.5" }, 1.5],
    ["all of the machine's when there is no limit", { MIRANDA_PROCESSOR_RAM_GB: "0" }, totalmem() / 1e9],
  ])("is %s", async (_what, environment, gigabytes) => {
    const bench = await openBench(environment);
    await bench.start();
    const { ram_gb_capacity } = await bench.job();
    // A server in a container has its container's memory.
    expect(ram_gb_capacity).toBeLessThanOrEqual(gigabytes + 1e-6);
    expect(ram_gb_capacity).toBeGreaterThan(gigabytes / 100);
  });
});
