import { logsEvent } from "@miranda/contract/events.ts";
import { type BreakpointLines, startArgs } from "@miranda/contract/command-args.ts";
import type { WorkflowState } from "@miranda/contract/processor.ts";
import type { Job, JobSummary, LogEntry } from "@miranda/contract/schemas/processors.ts";
import { io, type Socket } from "socket.io-client";

import { hashToken, newId } from "../platform/crypto.ts";
import { beforeDeadline } from "./deadline.ts";
import { password, type TestAccount, type TestServer } from "./test-server.ts";

export interface ReceivedEvent {
  event: string;
  data: unknown;
}

function inShort({ event, data }: ReceivedEvent): string {
  const { workflow_state } = (data ?? {}) as { workflow_state?: string };
  return workflow_state === undefined ? event : `${event} ${workflow_state}`;
}

/** Records every event one person receives in a graph, and can wait for one. */
export class SocketListener {
  readonly received: ReceivedEvent[] = [];
  readonly socket: Socket;
  #waiting = new Set<() => void>();

  constructor(url: string, cookie: string) {
    this.socket = io(url, {
      path: "/ws/socket.io",
      transports: ["websocket"],
      extraHeaders: { cookie },
      reconnectionDelay: 50,
      reconnectionDelayMax: 200,
    });
    this.socket.onAny((event: string, data: unknown) => {
      this.received.push({ event, data });
      for (const look of this.#waiting) look();
    });
  }

  async enter(graphId: string): Promise<void> {
    const connected = new Promise<void>((resolve) => this.socket.once("connect", resolve));
    if (!this.socket.connected) await beforeDeadline(connected, () => "The socket did not connect.");
    const entering = this.socket.emitWithAck("enter_project", graphId) as Promise<string | null>;
    const refusal = await beforeDeadline(entering, () => "The socket was not let into its graph.");
    if (refusal) throw new Error(refusal);
  }

  /** The first event from `since` on for which the test holds. */
  async wait<Data>(event: string, test: (data: Data) => boolean = () => true, since = 0, what = event): Promise<Data> {
    let at = since;
    const look = (): Data | undefined => {
      for (; at < this.received.length; at++) {
        const one = this.received[at];
        if (one?.event === event && test(one.data as Data)) return one.data as Data;
      }
      return undefined;
    };
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      const nextEvent = new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
      });
      await beforeDeadline(nextEvent, () => this.#missing(what, since));
    }
  }

  #missing(what: string, since: number): string {
    const last = this.received.slice(since).slice(-20).map(inShort);
    const state = this.socket.connected ? "connected" : "not connected";
    return `${what} did not come. The socket is ${state}; it received ${last.join(", ") || "nothing"}.`;
  }

  all<Data>(event: string): Data[] {
    return this.received.filter((one) => one.event === event).map(({ data }) => data as Data);
  }

  close(): void {
    this.socket.disconnect();
  }
}

export async function giveToken(account: TestAccount): Promise<string> {
  const answer = await account.post("/api/v3/auth/access_tokens", { web_password: password });
  return answer.json<{ token: string }>().token;
}

/** Also revokes the automatic token of the account. */
export async function revokeTokens(account: TestAccount): Promise<void> {
  const tokens = (await account.get("/api/v3/auth/access_tokens")).json<{ id: string }[]>();
  for (const { id } of tokens) await account.delete(`/api/v3/auth/access_tokens/${id}`);
}

/** The state that a command gives a session at once. */
const firstStates: Record<string, WorkflowState> = {
  start: "RUNNING",
  run: "RUNNING",
  compile: "RUNNING",
  "run-setup": "RUNNING",
  restart: "RESTARTING",
};

/** A graph, its owner with an execution token, and a socket listener in it. */
export class Workbench {
  readonly server: TestServer;
  readonly owner: TestAccount;
  readonly projectId: string;
  readonly graphId: string;
  listener: SocketListener;
  jobId = "";
  #tag = 0;

  private constructor(
    server: TestServer,
    owner: TestAccount,
    projectId: string,
    graphId: string,
    listener: SocketListener,
  ) {
    this.server = server;
    this.owner = owner;
    this.projectId = projectId;
    this.graphId = graphId;
    this.listener = listener;
  }

  static async open(server: TestServer, owner?: TestAccount): Promise<Workbench> {
    const person = owner ?? (await server.signUp());
    if (!owner) await giveToken(person);
    const project = await person.post("/api/v3/projects/", { name: "Tides", description: "" });
    const projectId = project.json<{ id: string }>().id;
    const graph = await person.post("/api/v3/graphs/", { name: "Flow", description: "", project_id: projectId });
    const graphId = graph.json<{ id: string }>().id;
    const listener = await listen(server, person, graphId);
    return new Workbench(server, person, projectId, graphId, listener);
  }

  /** The same graph and processor, seen through another server. */
  moveTo(server: TestServer, owner: TestAccount, listener: SocketListener): Workbench {
    const moved = new Workbench(server, owner, this.projectId, this.graphId, listener);
    moved.jobId = this.jobId;
    return moved;
  }

  async node(source: string, name = "Node"): Promise<number> {
    const made = await this.owner.post("/api/v3/objects?wob_type=CODE_BLOCK", { name, project_id: this.graphId });
    if (made.status !== 200) throw new Error(made.text);
    const id = made.json<{ metadata_id: number }>().metadata_id;
    await this.code(id, source);
    return id;
  }

  async code(id: number, source: string): Promise<void> {
    const saved = await this.owner.put(`/api/v3/objects/${id}/api`, { source_code: source, api: "{}" });
    if (saved.status !== 200) throw new Error(saved.text);
  }

  async edge(from: number, transmitter: string, to: number, receiver: string): Promise<void> {
    const form = { from_id: from, to_id: to, transmitter_key: transmitter, receiver_key: receiver };
    const made = await this.owner.post("/api/v3/objects/edges", form);
    if (made.status !== 200) throw new Error(made.text);
  }

  /** A policy wired to a node. */
  async policy(kind: "compute" | "storage", node: number, form: Record<string, string | number>): Promise<void> {
    const type = kind === "compute" ? "COMPUTE_POLICY" : "STORAGE_POLICY";
    const made = await this.owner.post(`/api/v3/objects?wob_type=${type}`, { name: kind, project_id: this.graphId });
    const { id, metadata_id } = made.json<{ id: string; metadata_id: number }>();
    const saved =
      kind === "compute"
        ? await this.owner.patch(`/api/v3/compute_policies/${id}`, form)
        : await this.owner.patch(`/api/v3/objects/${metadata_id}`, {
            body: JSON.stringify({ type: "volume", ...form }),
          });
    if (saved.status !== 200) throw new Error(saved.text);
    await this.edge(metadata_id, kind, node, kind);
  }

  /** A processor that is READY. */
  async start(): Promise<string> {
    const tag = ++this.#tag + Date.now();
    const since = this.listener.received.length;
    const made = await this.owner.post(`/api/v3/graphs/${this.graphId}/processor`, { tag });
    if (made.status !== 200) throw new Error(made.text);
    this.jobId = made.json<{ id: string }>().id;
    const job = await this.listener.wait<JobSummary>(
      "update[DOCKER_JOB]",
      (one) => one.tag === tag && ["READY", "ERROR", "EXITED"].includes(one.workflow_state),
      since,
    );
    if (job.workflow_state !== "READY") {
      const { logs } = (await this.owner.get(`/api/v3/jobs/${this.jobId}`)).json<Job>();
      throw new Error(`The processor became ${job.workflow_state}: ${logs.map(({ message }) => message).join(" ")}`);
    }
    return this.jobId;
  }

  /** A session that exists in the database only; nobody launched it. */
  async store(engine: string, ref: Record<string, unknown>, seen_at: Date, id: string = newId()): Promise<void> {
    this.jobId = id;
    const row = { id, tag: 1, graph_id: this.graphId, account_id: this.owner.account.id, name: "x", engine };
    const rest = { state: "READY" as const, token_hash: hashToken("t"), total_cost: null, seen_at };
    const engine_ref = JSON.stringify(ref);
    await this.server.db
      .insertInto("jobs")
      .values({ ...row, ...rest, engine_ref })
      .execute();
  }

  send(command: string, args = "") {
    return this.owner.post(`/api/v3/graphs/${this.graphId}/processor/${command}`, { args });
  }

  /** Sends a command and waits for the state it leads to. */
  async until(command: string, args: string, ...states: WorkflowState[]): Promise<JobSummary> {
    const since = this.listener.received.length;
    const answer = await this.send(command, args);
    if (answer.status !== 200) throw new Error(`${command}: ${answer.status} ${answer.text}`);
    const first = firstStates[command];
    if (first === undefined || states.includes(first)) return this.state(since, ...states);
    // An update that was stored before the command carries an older state, and may come before or even after this one.
    const { revision } = await this.state(since, first);
    return this.listener.wait<JobSummary>(
      "update[DOCKER_JOB]",
      (job) => job.id === this.jobId && job.revision > revision && states.includes(job.workflow_state),
      since,
      `The state ${states.join(" or ")}`,
    );
  }

  state(since: number, ...states: WorkflowState[]): Promise<JobSummary> {
    return this.listener.wait<JobSummary>(
      "update[DOCKER_JOB]",
      (job) => job.id === this.jobId && states.includes(job.workflow_state),
      since,
      `The state ${states.join(" or ")}`,
    );
  }

  /** Runs what changed and waits for its end. */
  async run(breakpoints: BreakpointLines = {}): Promise<JobSummary> {
    const args = startArgs(undefined, breakpoints);
    return this.until("start", args, "READY", "ERROR", "EXITED", "RESUMEREADY");
  }

  async job(): Promise<Job> {
    return (await this.owner.get(`/api/v3/jobs/${this.jobId}`)).json<Job>();
  }

  async logs(query = ""): Promise<LogEntry[]> {
    return (await this.owner.get(`/api/v3/graphs/${this.graphId}/processor/logs${query}`)).json<LogEntry[]>();
  }

  /** What node code wrote, line by line, as [level, text]; our own first line left out. */
  async lines(): Promise<[number, string][]> {
    const entries = await this.logs("?log_lines=1000000");
    return entries
      .flatMap(({ tag, message }) => message.split("\n").map((text): [number, string] => [tag, text]))
      .filter(([, text]) => !text.startsWith("This processor runs as"));
  }

  /** The log as received over the socket. */
  receivedLines(): { id: number; text: string }[] {
    const lines = new Map<number, string>();
    for (const entry of this.listener.all<LogEntry[]>(logsEvent(this.jobId)).flat())
      entry.message.split("\n").forEach((text, at) => lines.set(entry.id + at, text));
    return [...lines].map(([id, text]) => ({ id, text })).toSorted((one, other) => one.id - other.id);
  }

  close(): void {
    this.listener.close();
  }
}

export async function listen(server: { url: string }, person: TestAccount, graphId: string): Promise<SocketListener> {
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const listener = new SocketListener(server.url, cookie);
  await listener.enter(graphId);
  return listener;
}

/** A node that runs these lines. */
export function script(...lines: string[]): string {
  const body = lines.map((line) => `        ${line}`).join("\n");
  return `from miranda import *\n\nclass Script(Node):\n    def run(self):\n${body}\n`;
}

/**
 * Lines of node code that define `send`: it writes a message to the channel that leads to the worker, and from there to the
 * agent, past everything that checks what nodes report. `channel` is the open file.
 */
export const forge = [
  "import json, os, time",
  "links = (f'/proc/self/fd/{fd}' for fd in sorted(map(int, os.listdir('/proc/self/fd'))))",
  "channel = next(int(link.rsplit('/')[-1]) for link in links if os.path.lexists(link) and os.readlink(link).startswith('socket:'))",
  "def send(message, kind=0):",
  "    body = message if isinstance(message, bytes) else json.dumps(message).encode()",
  "    data = len(body).to_bytes(4, 'big') + bytes((kind,)) + body",
  "    while data: data = data[os.write(channel, data):]",
];
