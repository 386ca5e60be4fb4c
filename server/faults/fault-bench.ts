import { logsEvent } from "@miranda/contract/events.ts";
import type { LogEntry } from "@miranda/contract/schemas/processors.ts";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, connect, type AddressInfo, type NetConnectOpts, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";

import { openDatabase, type Database } from "../platform/database/database.ts";
import { startServerProcess, type ServerProcess } from "../testing/server-process.ts";
import { TestClient } from "../testing/test-client.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { endJobs, password, type TestAccount, type TestServer } from "../testing/test-server.ts";
import { giveToken, listen, script, Workbench } from "../testing/workbench.ts";

// Fixed, whatever this machine has: a test that needs a sandbox or containers asks for them.
const plain = { MIRANDA_ENGINE: "local", MIRANDA_SANDBOX: "off" };

/** A server process that can be killed and comes back with the same database and data folder. */
export class FaultBench {
  readonly #own: TestDatabase | undefined;
  readonly #database: Database | undefined;
  readonly environment: Record<string, string> & { MIRANDA_DATA: string };
  server: ServerProcess;
  readonly otherServers: { server: ServerProcess; folder: string }[] = [];

  private constructor(own: TestDatabase | undefined, environment: FaultBench["environment"], server: ServerProcess) {
    this.#own = own;
    this.environment = environment;
    this.server = server;
    this.#database = own && openDatabase(own.url, 4, () => undefined);
  }

  get database(): Database {
    if (!this.#database) throw new Error("This server has a database of its own.");
    return this.#database;
  }

  /** Its name, and the administrator's address. */
  get own(): TestDatabase {
    if (!this.#own) throw new Error("This server has a database of its own.");
    return this.#own;
  }

  get dataFolder(): string {
    return this.environment.MIRANDA_DATA;
  }

  static async open(environment: Record<string, string> = {}, through?: (url: string) => string): Promise<FaultBench> {
    const own = await createTestDatabase("fault");
    const folder = await mkdtemp(join(tmpdir(), "miranda-fault-"));
    const all = { ...plain, ...environment, DATABASE_URL: through?.(own.url) ?? own.url, MIRANDA_DATA: folder };
    return new FaultBench(own, all, await startServerProcess(all));
  }

  /** A server with the embedded database, everything below one folder. */
  static async openEmbedded(folder: string, environment: Record<string, string> = {}): Promise<FaultBench> {
    const all = { ...plain, ...environment, MIRANDA_DATA: folder };
    return new FaultBench(undefined, all, await startServerProcess(all));
  }

  async restart(): Promise<void> {
    this.server = await startServerProcess(this.environment);
  }

  /** A second server on the same database, with a folder of its own. */
  async another(): Promise<ServerProcess> {
    const folder = `${this.dataFolder}-other`;
    const server = await startServerProcess({ ...this.environment, MIRANDA_DATA: folder });
    this.otherServers.push({ server, folder });
    return server;
  }

  /** A workbench on this server process. */
  workbench(name?: string): Promise<Workbench> {
    return openWorkbench({ url: this.server.url, db: this.#database?.db }, name);
  }

  /** The same person at the server that came back. */
  async follow(bench: Workbench, { url } = this.server): Promise<Workbench> {
    bench.close();
    const client = new TestClient(url);
    for (const [name, value] of bench.owner.cookies) client.cookies.set(name, value);
    const owner = Object.assign(client, { account: bench.owner.account });
    const server = { url, db: this.#database?.db } as unknown as TestServer;
    const listener = await listen(server, owner, bench.graphId);
    return bench.moveTo(server, owner, listener);
  }

  async close(): Promise<void> {
    // The embedded database must shut down cleanly. A test database need not.
    await this.server.kill(this.#database ? "SIGKILL" : "SIGTERM").catch(() => undefined);
    for (const { server, folder } of this.otherServers) {
      await server.kill("SIGKILL").catch(() => undefined);
      await endJobs(folder);
      await rm(folder, { recursive: true, force: true });
    }
    await endJobs(this.dataFolder);
    await rm(this.dataFolder, { recursive: true, force: true });
    if (!this.#database) return;
    await this.#database.close();
    await this.#own?.drop();
  }
}

/** A workbench at any running server. */
export async function openWorkbench(
  server: { url: string; db?: Database["db"] | undefined },
  name = `person${randomBytes(3).toString("hex")}`,
): Promise<Workbench> {
  const client = new TestClient(server.url);
  const body = { username: name, email: `${name}@example.org`, first_name: "P", last_name: "T", password };
  const registered = await client.post("/api/v3/auth/register", body);
  if (registered.status !== 200) throw new Error(registered.text);
  const { account } = registered.json<{ account: TestAccount["account"] }>();
  const owner = Object.assign(client, { account });
  await giveToken(owner);
  return Workbench.open(server as unknown as TestServer, owner);
}

/** Prints numbered lines, `aSecond` per second in ten portions, for so many seconds. */
export const printing = (seconds: number, aSecond = 10_000): string =>
  script(
    "import time",
    "began = time.monotonic()",
    `for at in range(${seconds * 10}):`,
    `    for n in range(at * ${aSecond / 10}, (at + 1) * ${aSecond / 10}): print(n)`,
    "    time.sleep(max(0, began + at / 10 - time.monotonic()))",
  );

export const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

/** The numbers that a node printed, in the order of its log. */
export const numbersOf = async (bench: Workbench): Promise<number[]> =>
  (await bench.lines()).map(([, text]) => Number(text)).filter((number) => !Number.isNaN(number));

/** Waits until the log has a number of at least `least`: the node runs. */
export const receivedNumber = (bench: Workbench, least: number): Promise<LogEntry[]> =>
  bench.listener.wait<LogEntry[]>(logsEvent(bench.jobId), (entries) =>
    entries.some(({ message }) => Number(message.split("\n").at(-1)) >= least),
  );

/** Checks that every sample of a job is stored, once and in order. */
export async function expectEverySample({ database }: FaultBench, jobId: string) {
  const samples = await database.db
    .selectFrom("usage_samples")
    .select(["number", "seconds", "cost"])
    .where("job_id", "=", jobId)
    .orderBy("number")
    .execute();
  expect(samples.map(({ number }) => number)).toEqual(samples.map((_, at) => at + 1));
  return samples;
}

/** A TCP proxy that can be shut. */
export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isShut = false;
  readonly port: number;

  private constructor(server: Server, port: number, target: () => NetConnectOpts) {
    this.#server = server;
    this.port = port;
    server.on("connection", (incoming: Socket) => {
      if (this.#isShut) return void incoming.destroy();
      const outgoing = connect(target());
      for (const [one, other] of [
        [incoming, outgoing],
        [outgoing, incoming],
      ] as const) {
        this.#sockets.add(one);
        one.on("error", () => other.destroy());
        one.on("close", () => {
          this.#sockets.delete(one);
          other.destroy();
        });
        one.pipe(other);
      }
    });
  }

  static async open(target: () => NetConnectOpts, address = "127.0.0.1"): Promise<TcpProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, address, resolve));
    return new TcpProxy(server, (server.address() as AddressInfo).port, target);
  }

  shut(): void {
    this.#isShut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  reopen(): void {
    this.#isShut = false;
  }

  close(): void {
    this.shut();
    this.#server.close();
  }
}
