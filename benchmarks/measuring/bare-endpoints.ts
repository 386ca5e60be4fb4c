import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A program of others that answers `{"number": 21}` with the double, and stops with `close`. */
export interface Endpoint {
  url: string;
  close(): Promise<void>;
}

const fastApi = `
from fastapi import FastAPI
from pydantic import BaseModel

class Body(BaseModel):
    number: int

app = FastAPI()

@app.post("/double")
def double(body: Body) -> dict[str, int]:
    return {"result": body.number * 2}
`;

const flows = [
  { id: "tab", type: "tab", label: "Flow" },
  { id: "in", z: "tab", type: "http in", url: "/double", method: "post", wires: [["double"]], x: 1, y: 1 },
  {
    ...{ id: "double", z: "tab", type: "function", outputs: 1, x: 2, y: 1, wires: [["out"]] },
    func: "msg.payload = { result: msg.payload.number * 2 }; return msg;",
  },
  { id: "out", z: "tab", type: "http response", wires: [], x: 3, y: 1 },
];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}

/** Installs with the network, so it may fail. */
function install(command: string, args: string[], cwd: string): boolean {
  return spawnSync(command, args, { cwd, stdio: "ignore", timeout: 300_000 }).status === 0;
}

async function started(folder: string, program: ChildProcess, url: string): Promise<Endpoint | undefined> {
  const close = async (): Promise<void> => {
    if (program.exitCode === null) {
      program.kill("SIGKILL");
      await once(program, "exit");
    }
    await rm(folder, { recursive: true, force: true });
  };
  for (let tries = 0; tries < 300; tries += 1) {
    const body = JSON.stringify({ number: 21 });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(url, { method: "POST", body, headers }).catch(() => undefined);
    if (answer?.ok && JSON.stringify(await answer.json()).includes("42")) return { url, close };
    await sleep(100);
  }
  await close();
  return undefined;
}

/** FastAPI with uvicorn, from PyPI. Undefined when it cannot be had. */
export async function startFastApi(): Promise<Endpoint | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "miranda-fastapi-"));
  await writeFile(join(folder, "main.py"), fastApi);
  const python = join(folder, "venv", "bin", "python");
  const isInstalled =
    install("python3", ["-m", "venv", "venv"], folder) &&
    install(python, ["-m", "pip", "install", "-q", "fastapi", "uvicorn"], folder);
  if (!isInstalled) return undefined;
  const port = await freePort();
  const args = ["-m", "uvicorn", "main:app", "--host", "127.0.0.1", "--port", String(port), "--no-access-log"];
  return started(folder, spawn(python, args, { cwd: folder, stdio: "ignore" }), `http://127.0.0.1:${port}/double`);
}

/** Node-RED with one flow, from npm. Undefined when it cannot be had. */
export async function startNodeRed(): Promise<Endpoint | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "miranda-node-red-"));
  await writeFile(join(folder, "package.json"), "{}");
  if (!install("npm", ["install", "--silent", "--no-audit", "--no-fund", "node-red"], folder)) return undefined;
  const port = await freePort();
  await writeFile(join(folder, "flows.json"), JSON.stringify(flows));
  await writeFile(
    join(folder, "settings.js"),
    `module.exports = { uiPort: ${port}, uiHost: "127.0.0.1", flowFile: "flows.json", userDir: ${JSON.stringify(folder)} };`,
  );
  const program = spawn(process.execPath, ["node_modules/node-red/red.js", "-s", "settings.js"], {
    cwd: folder,
    stdio: "ignore",
  });
  return started(folder, program, `http://127.0.0.1:${port}/double`);
}
