import { socket as limits } from "@miranda/contract/limits.ts";
import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Server } from "socket.io";
import { io, type Socket } from "socket.io-client";

// 200 people in one graph send 200 messages a second, each to the 199 others. Our server and a bare Socket.IO server run
// in separate processes and take turns with the same clients. Prints the ratio of their 99th percentiles.

const people = 200;
const accounts = 20;
const warmUp = 1_000;
const measured = 3_000;
const rounds = 5;
// Every 21st client measures the delay. 21 shares no factor with the number of accounts: otherwise the measuring clients
// would all belong to the same few accounts, and a server sends to all tabs of one account together.
const oneIn = 21;
const event = "broadcast<somebody>(selection)";
// Our server drops unknown fields of a selection, so the cursor carries the data: x the time it was sent, y this mark for
// messages after the warm-up.
const counted = 4_242;

interface Selection {
  metadata_ids: number[];
  cursor: { x: number; y: number };
}

interface Running {
  child: ChildProcess;
  url: string;
}

interface Participant {
  url: string;
  cookie: string;
  graph: string;
}

function bareServer(): void {
  const http = createServer();
  const server = new Server(http, { path: limits.path, serveClient: false });
  server.on("connection", (socket) => {
    socket.on("enter_project", (room: string, entered: (refusal: null) => void) => {
      void socket.join(room);
      entered(null);
    });
    socket.on("broadcast", (_channel: string, data: unknown) => socket.to("graph").emit(event, data));
  });
  http.listen(0, "127.0.0.1", () => {
    const address = http.address();
    process.stdout.write(`Bare is at http://127.0.0.1:${typeof address === "object" ? address?.port : 0}\n`);
  });
}

function start(args: string[], environment: NodeJS.ProcessEnv): Promise<Running> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  return new Promise((found, failed) => {
    child.once("exit", (code) => failed(new Error(`the server ended with ${code}`)));
    child.stdout.on("data", (text: Buffer) => {
      const url = /is at (http:\S+)/.exec(text.toString())?.[1];
      if (url) found({ child, url });
    });
  });
}

async function stop({ child }: Running): Promise<void> {
  const ended = new Promise((done) => child.once("exit", done));
  child.kill("SIGTERM");
  await ended;
}

/** Registers accounts on our server, and makes a public workflow that the first of them owns. */
async function registerParticipants(url: string): Promise<Participant[]> {
  const post = async (path: string, form: Record<string, string>, cookie = "") => {
    const answer = await fetch(url + path, { method: "POST", body: new URLSearchParams(form), headers: { cookie } });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return { body: (await answer.json()) as { id: string }, cookie: answer.headers.getSetCookie()[0]?.split(";")[0] };
  };
  const cookies: string[] = [];
  for (let at = 0; at < accounts; at++) {
    const person = { username: `person${at}`, email: `p${at}@example.org`, first_name: "P", last_name: "P" };
    const made = await post("/api/v3/auth/register", { ...person, password: "correct horse battery" });
    cookies.push(made.cookie ?? "");
  }
  const project = (await post("/api/v3/projects/", { name: "Bench" }, cookies[0])).body.id;
  const graph = (await post("/api/v3/graphs/", { name: "Bench", project_id: project }, cookies[0])).body.id;
  return Array.from({ length: people }, (_, at) => ({ url, graph, cookie: cookies[at % accounts] ?? "" }));
}

async function connect({ url, cookie, graph }: Participant): Promise<Socket> {
  const socket = io(url, {
    path: limits.path,
    transports: ["websocket"],
    forceNew: true,
    reconnection: false,
    extraHeaders: { cookie },
  });
  const refusal = (await socket.timeout(20_000).emitWithAck("enter_project", graph)) as string | null;
  if (refusal !== null) throw new Error(refusal);
  return socket;
}

interface Delivery {
  median: number;
  p99: number;
  lost: number;
}

/** Each client sends one message a second, spread evenly. Measures how long messages take to arrive. */
async function measure(participants: Participant[]): Promise<Delivery> {
  const sockets = await Promise.all(participants.map(connect));
  const delays: number[] = [];
  let sent = 0;
  let received = 0;
  let counting = false;
  sockets.forEach((socket, at) => {
    // Most clients only count messages: decoding 40,000 messages a second would measure the clients, not the server.
    if (at % oneIn !== 0) socket.io.engine.removeAllListeners("data");
    else {
      socket.onAny((_name: string, data: Partial<Selection>) => {
        if (data.cursor?.y === counted) delays.push(performance.now() - data.cursor.x);
      });
    }
    socket.io.engine.on("data", (text) => {
      if (typeof text === "string" && text.includes(`"y":${counted}`)) received += 1;
    });
  });
  let next = 0;
  const began = performance.now();
  const timer = setInterval(() => {
    const due = ((performance.now() - began) * people) / 1000;
    for (; next < due; next++) {
      const data: Selection = {
        metadata_ids: [next],
        cursor: { x: performance.now(), y: counting ? counted : 0 },
      };
      sockets[next % people]?.emit("broadcast", "selection", data);
      if (counting) sent += 1;
    }
  }, 1);
  await pause(warmUp);
  counting = true;
  await pause(measured);
  clearInterval(timer);
  const missing = (): number => sent * (people - 1) - received;
  for (let checks = 50; missing() > 0 && checks > 0; checks--) await pause(100);
  for (const socket of sockets) socket.disconnect();
  delays.sort((one, other) => one - other);
  const at = (share: number): number => delays[Math.floor(delays.length * share)] ?? Number.NaN;
  return { median: at(0.5), p99: at(0.99), lost: missing() };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}

async function compare(): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), "miranda-bench-"));
  const root = resolve(import.meta.dirname, "..");
  const ours = await start([join(root, "server", "main.ts")], {
    PORT: "0",
    MIRANDA_DATA: data,
    MIRANDA_DEV: "1",
    DATABASE_URL: "",
    LOG_LEVEL: "error",
  });
  const bare = await start([import.meta.filename, "bare"], {});
  try {
    const onOurs = await registerParticipants(ours.url);
    const onBare = onOurs.map(() => ({ url: bare.url, cookie: "", graph: "graph" }));
    const results: { ours: Delivery; bare: Delivery }[] = [];
    for (let round = 0; round < rounds; round++) {
      results.push({ bare: await measure(onBare), ours: await measure(onOurs) });
    }
    for (const { ours, bare } of results) {
      console.log(`ours  median ${ours.median.toFixed(2)} ms  p99 ${ours.p99.toFixed(2)} ms  lost ${ours.lost}`);
      console.log(`bare  median ${bare.median.toFixed(2)} ms  p99 ${bare.p99.toFixed(2)} ms  lost ${bare.lost}`);
    }
    const best = (which: "ours" | "bare") => Math.min(...results.map((result) => result[which].p99));
    console.log(`ratio of p99, ours to bare (best of ${rounds} each): ${(best("ours") / best("bare")).toFixed(2)}`);
  } finally {
    await stop(ours);
    await stop(bare);
    await rm(data, { recursive: true, force: true });
  }
}

if (process.argv[2] === "bare") bareServer();
else await compare();
