import { socket as limits } from "@miranda/contract/limits.ts";
import { createServer } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Server } from "socket.io";
import { io, type Socket } from "socket.io-client";

import { startServerProcess } from "../server/testing/server-process.ts";
import { startBare } from "./measuring/bare-server.ts";
import { type Measurement, sized } from "./measuring/measurement.ts";

// 200 people in one graph send 200 messages a second, each to the 199 others. Our server and a bare Socket.IO server run
// in separate processes and take turns with the same clients. Compares their 99th percentiles.

const people = sized(200, { tiny: 4 });
const accounts = sized(20, { tiny: 2 });
const warmUp = sized(1_000, { tiny: 100 });
const measured = sized(3_000, { tiny: 300 });
const rounds = sized(5);
const budget = 1.5;
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
  const project = (await post("/api/v3/projects/", { name: "Bench", visibility: "public" }, cookies[0])).body.id;
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

export async function socket(): Promise<Measurement[]> {
  const data = await mkdtemp(join(tmpdir(), "miranda-bench-"));
  const ours = await startServerProcess({ MIRANDA_DATA: data, DATABASE_URL: "" });
  const bare = await startBare(import.meta.filename);
  try {
    const onOurs = await registerParticipants(ours.url);
    const onBare = onOurs.map(() => ({ url: bare.url, cookie: "", graph: "graph" }));
    const results: { ours: Delivery; bare: Delivery }[] = [];
    for (let round = 0; round < rounds; round++)
      results.push({ bare: await measure(onBare), ours: await measure(onOurs) });
    const best = (which: "ours" | "bare") =>
      results.map((result) => result[which]).reduce((one, other) => (other.p99 < one.p99 ? other : one));
    const [mine, theirs] = [best("ours"), best("bare")];
    const lost = results.reduce((sum, result) => sum + result.ours.lost, 0);
    const ratio = mine.p99 / theirs.p99;
    const words = ({ median, p99 }: Delivery) => `median ${median.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`;
    return [
      {
        name: `${people} people send a message a second to each other`,
        ours: `${words(mine)}, lost ${lost}`,
        bare: `Socket.IO ${words(theirs)}`,
        ratio: `p99 ${ratio.toFixed(2)}`,
        budget: `<= ${budget}, none lost`,
        passes: ratio <= budget && lost === 0,
        times: ratio,
      },
    ];
  } finally {
    await ours.kill("SIGTERM");
    await bare.stop();
    await rm(data, { recursive: true, force: true });
  }
}

if (process.argv[2] === "bare") bareServer();
