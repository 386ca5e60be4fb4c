import { gitArgs } from "@miranda/contract/command-args.ts";
import type { CommitPage, CommitSummary } from "@miranda/contract/schemas/code.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";
import type { GitEvent } from "@miranda/contract/schemas/processors.ts";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

import type { Config } from "../../platform/settings/config.ts";
import { type Files, GitHost } from "./git-host.ts";
import { startTestServer, type TestServer } from "../test-server.ts";
import { script, Workbench } from "../workbench.ts";

/** A workbench with a processor beside a host of repositories that the processor trusts. */
export class GitBench {
  readonly host: GitHost;
  readonly server: TestServer;
  readonly bench: Workbench;
  #named = 0;

  private constructor(host: GitHost, server: TestServer, bench: Workbench) {
    this.host = host;
    this.server = server;
    this.bench = bench;
  }

  static async open(overrides: (host: GitHost) => Partial<Config> = () => ({})): Promise<GitBench> {
    const host = await GitHost.open();
    process.env["SSL_CERT_FILE"] = host.authority;
    const server = await startTestServer(overrides(host));
    const bench = await Workbench.open(server);
    await bench.start();
    return new GitBench(host, server, bench);
  }

  /** On an existing workbench. */
  static at(host: GitHost, bench: Workbench): GitBench {
    return new GitBench(host, bench.server, bench);
  }

  async close(): Promise<void> {
    this.bench.close();
    await this.server.close();
    await this.host.close();
    delete process.env["SSL_CERT_FILE"];
  }

  async secret(key: string, value: string): Promise<void> {
    const { owner, projectId } = this.bench;
    const saved = await owner.post("/api/v3/secrets", { key, value, project_id: projectId });
    if (saved.status !== 200) throw new Error(saved.text);
  }

  async repository(files?: Files): Promise<string> {
    const name = `r${++this.#named}`;
    await this.host.create(name, files);
    return name;
  }

  /** A repository and a node in it. */
  async nodeIn(files: Files, path = "node.py"): Promise<{ repository: string; node: number }> {
    const repository = await this.repository(files);
    const node = await this.bench.node(script("pass"), `Node ${this.#named}`);
    await this.setGit(node, `${this.host.url(repository)}#${path}`);
    return { repository, node };
  }

  async setGit(node: number, git: string, git_branch = ""): Promise<void> {
    const saved = await this.bench.owner.patch(`/api/v3/objects/${node}`, { git, git_branch });
    if (saved.status !== 200) throw new Error(saved.text);
  }

  /** Sends a command and waits for its result. */
  async git(command: string, node?: number, bench = this.bench): Promise<GitEvent> {
    const from = bench.listener.received.length;
    await bench.until(command, gitArgs(node), "RUNNING");
    const event = await bench.listener.wait<GitEvent>(command, () => true, from);
    await bench.state(from, "READY");
    return event;
  }

  async code(node: number): Promise<string> {
    const answer = await this.bench.owner.get(`/api/v3/objects/${node}?wob_type=CODE_BLOCK`);
    return answer.json<Node>().source_code;
  }

  async history(node: number): Promise<CommitSummary[]> {
    return (await this.bench.owner.get(`/api/v3/objects/${node}/commits`)).json<CommitPage>().commits;
  }

  async commit(node: number, source_code: string, message: string): Promise<void> {
    const made = await this.bench.owner.post(`/api/v3/objects/${node}/commits`, { source_code, message });
    if (made.status !== 200) throw new Error(made.text);
  }

  /** What git left behind in the session's folder. */
  async left(): Promise<string[]> {
    const work = join(this.server.dataFolder, "jobs", this.bench.jobId, "work");
    return (await readdir(work)).filter((name) => name.includes("git"));
  }

  /** As a person answers ask_for_password. */
  async answer(value: string): Promise<void> {
    const { owner, projectId, graphId } = this.bench;
    await owner.post("/api/v3/secrets", { key: "answer", value, project_id: projectId, temporary: "true" });
    await owner.post("/api/v3/secrets/notify", { key: "answer", message: "", project_id: graphId });
  }
}
