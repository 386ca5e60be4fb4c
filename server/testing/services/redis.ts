import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { findRedis } from "../../../scripts/redis.ts";

/** A real Redis of the test's own, which can be stopped and started again. */
export class TestRedis {
  readonly url: string;
  readonly #port: number;
  readonly #folder: string;
  #process: ChildProcess | undefined;

  private constructor(port: number, folder: string) {
    this.#port = port;
    this.#folder = folder;
    this.url = `redis://127.0.0.1:${port}`;
  }

  static async open(): Promise<TestRedis> {
    // Below the ports that the system gives to connections, so that it is also free after a stop.
    const port = 20_000 + randomInt(10_000);
    const redis = new TestRedis(port, await mkdtemp(join(tmpdir(), "miranda-redis-")));
    await redis.start();
    return redis;
  }

  async start(): Promise<void> {
    const options = ["--port", String(this.#port), "--bind", "127.0.0.1", "--save", "", "--dir", this.#folder];
    const started = spawn(findRedis() ?? "redis-server", options, { stdio: ["ignore", "pipe", "inherit"] });
    this.#process = started;
    for await (const line of createInterface({ input: started.stdout }))
      if (line.includes("Ready to accept connections")) break;
    started.stdout.resume();
  }

  async stop(): Promise<void> {
    if (!this.#process || this.#process.exitCode !== null) return;
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await ended;
  }

  async close(): Promise<void> {
    await this.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
