import { runnerCall as limits } from "../../../limits.ts";
import { chmod, mkdir, open, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";

import type { Http } from "../../../platform/http/http-server.ts";
import { safely } from "../../../platform/errors/safely.ts";

const name = "socket";
const headersWithin = 10_000;
/** The agents' own calls, and those that they pass on for the MLflow client of node code. */
const agentsOnly = ["/api/runner/", "/mlflow/"];

/**
 * A socket in a folder that is mounted into containers: they reach the server whatever their network is, and whatever
 * port it has after a restart. It serves the agents' calls only.
 */
export async function openAgentSocket(http: Http, folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  await rm(join(folder, name), { force: true });
  const serve = safely(
    (request: IncomingMessage, response: ServerResponse) => {
      if (agentsOnly.some((place) => request.url?.startsWith(place))) http.routing(request, response);
      else response.writeHead(404).end();
    },
    (_error, _request, response) => void response.destroy(),
  );
  const server = createServer({ connectionsCheckingInterval: headersWithin / 2 }, serve);
  // All containers share this socket: one that sends nothing, or sends slowly, must not keep the others out.
  server.headersTimeout = headersWithin;
  server.requestTimeout = http.server.requestTimeout;
  server.maxConnections = limits.connectionsMax;
  // A socket's path has at most 107 bytes, a data folder's any number.
  const held = await open(folder);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(`/proc/self/fd/${held.fd}/${name}`, resolve);
  });
  // Agents run under another account. Each has its token.
  await chmod(join(folder, name), 0o666);
  return async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    const sweeper = setInterval(
      safely(() => server.closeIdleConnections()),
      50,
    );
    await closed;
    clearInterval(sweeper);
    await held.close();
  };
}
