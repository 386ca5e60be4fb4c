import { logLevels } from "@miranda/contract/limits.ts";
import type { ExceptionEvent } from "@miranda/contract/schemas/processors.ts";

import { readConfig } from "../../platform/settings/config.ts";
import { HttpProxy } from "./http-proxy.ts";
import { TestSwift } from "./swift.ts";
import { startTestServer, type TestServer } from "../test-server.ts";
import { script, Workbench } from "../workbench.ts";

export interface Ran {
  /** What the node printed. */
  printed: string[];
  /** The other lines of the session's log, by level. */
  infos: string[];
  warnings: string[];
  errors: string[];
  exceptions: ExceptionEvent[];
}

const local = { MIRANDA_ENGINE: "local", MIRANDA_SANDBOX: "off" };

/**
 * A graph with one node whose storage policy names a bucket of a real S3 server. Between that and the processor is a proxy
 * that can fail on purpose.
 */
export class BucketBench {
  readonly swift: TestSwift;
  readonly proxy: HttpProxy;
  readonly server: TestServer;
  readonly bench: Workbench;
  readonly node: number;
  readonly policy: number;
  bucket = "";
  #runs = 0;

  private constructor(parts: Pick<BucketBench, "swift" | "proxy" | "server" | "bench" | "node" | "policy">) {
    this.swift = parts.swift;
    this.proxy = parts.proxy;
    this.server = parts.server;
    this.bench = parts.bench;
    this.node = parts.node;
    this.policy = parts.policy;
  }

  static async open(limits: Record<string, string>): Promise<BucketBench> {
    const swift = await TestSwift.open();
    const proxy = await HttpProxy.open(swift.url);
    const server = await startTestServer({ processors: readConfig({ ...local, ...limits }).processors });
    const bench = await Workbench.open(server);
    await bench.owner.post("/api/v3/secrets", { key: "S3_ACCESS", value: swift.accessKey });
    // With the whitespace of a paste.
    await bench.owner.post("/api/v3/secrets", { key: "S3_SECRET", value: `${swift.secretKey}\n` });
    const node = await bench.node(script("pass"), "Script");
    const form = { name: "Bucket", project_id: bench.graphId };
    const made = await bench.owner.post("/api/v3/objects?wob_type=STORAGE_POLICY", form);
    const { metadata_id } = made.json<{ metadata_id: number }>();
    await bench.edge(metadata_id, "storage", node, "storage");
    await bench.start();
    return new BucketBench({ swift, proxy, server, bench, node, policy: metadata_id });
  }

  async close(): Promise<void> {
    this.bench.close();
    await this.server.close();
    this.proxy.close();
    await this.swift.close();
  }

  /** A bucket of its own for each test. */
  async reset(): Promise<void> {
    this.bucket = await this.swift.makeBucket();
    this.proxy.reset();
    await this.set({});
  }

  /** Sets the policy, with these fields changed. */
  async set(more: Record<string, string>): Promise<void> {
    const body = {
      type: "s3",
      bucket: this.bucket,
      prefix: "",
      region: this.swift.region,
      endpoint: this.proxy.url,
      access_key_secret: "S3_ACCESS",
      secret_key_secret: "S3_SECRET",
      ...more,
    };
    const form = { body: JSON.stringify(body) };
    const saved = await this.bench.owner.patch(`/api/v3/objects/${this.policy}`, form);
    if (saved.status !== 200) throw new Error(saved.text);
  }

  /** Runs these lines, or the present code without any. */
  async run(...lines: string[]): Promise<Ran> {
    if (lines.length > 0) await this.bench.code(this.node, script(...lines, `# ${++this.#runs}`));
    const before = (await this.bench.lines()).length;
    const since = this.bench.listener.received.length;
    const { workflow_state } = await this.bench.run();
    // Its exceptions are published after the state and before this.
    if (workflow_state === "READY") await this.bench.listener.wait("run_ended", undefined, since);
    const written = (await this.bench.lines()).slice(before);
    const of = (level: number): string[] => written.filter(([tag]) => tag === level).map(([, text]) => text);
    const received = this.bench.listener.received.slice(since).filter(({ event }) => event === "exception");
    return {
      printed: of(logLevels.DEFAULT),
      infos: of(logLevels.INFO),
      warnings: of(logLevels.WARNING),
      errors: of(logLevels.ERROR),
      exceptions: received.map(({ data }) => data as ExceptionEvent),
    };
  }

  async restart(): Promise<void> {
    await this.bench.until("stop", "", "EXITED");
    await this.bench.start();
  }
}
