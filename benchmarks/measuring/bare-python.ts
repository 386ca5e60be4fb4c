import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

import { findPython } from "../../server/platform/python.ts";
import type { Endpoint } from "./bare-endpoints.ts";

const program = `
import json, sys, time
for line in sys.stdin:
    print(json.dumps({"result": json.loads(line)["number"] * 2, "text": f"tick {time.time_ns()}"}), flush=True)
`;

/** Runs Python at each press of F5, and shows what it answers. */
const page = `<!doctype html><title>Bare</title><p></p><script>
addEventListener("keydown", async (event) => {
  if (event.key !== "F5") return;
  event.preventDefault();
  const answer = await fetch("/", { method: "POST", body: '{"number": 21}' });
  document.querySelector("p").textContent = (await answer.json()).text;
});
</script>`;

/** The least that can run Python for a browser: one process that gets a line for each call and answers with one. */
export async function startBarePython(): Promise<Endpoint> {
  const python = await findPython();
  if (!python) throw new Error("Python 3.11 or newer was not found.");
  const child = spawn(python.executable, ["-I", "-c", program], { stdio: ["pipe", "pipe", "inherit"] });
  const waiting: ((line: string) => void)[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()?.(line));
  const server = createServer((request, response) => {
    if (request.method !== "POST") return void response.setHeader("content-type", "text/html").end(page);
    let body = "";
    request.on("data", (part) => (body += String(part)));
    request.on("end", () => {
      waiting.push((line) => response.setHeader("content-type", "application/json").end(line));
      child.stdin.write(`${body.replaceAll("\n", " ")}\n`);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`,
    async close() {
      server.closeAllConnections();
      server.close();
      child.stdin.end();
      await once(child, "exit");
    },
  };
}
