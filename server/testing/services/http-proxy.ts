import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface CannedAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
  /** The connection is cut after so many bytes of the body. */
  cutAfter?: number;
}

/** An HTTP proxy in front of a server: records requests, and can answer them itself. */
export class HttpProxy {
  readonly requests: { method: string; path: string }[] = [];
  /** The answer instead of the server's. Undefined passes the request on. */
  answer: (asked: { method: string; path: string }) => CannedAnswer | undefined | Promise<undefined> = () => undefined;
  readonly #server: Server;
  readonly url: string;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async open(target: string): Promise<HttpProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const proxy = new HttpProxy(server);
    server.on("request", (incoming, response) => {
      void (async () => {
        const asked = { method: incoming.method ?? "", path: incoming.url ?? "" };
        proxy.requests.push(asked);
        const made = await proxy.answer(asked);
        if (made) {
          incoming.resume();
          response.writeHead(made.status, made.headers);
          if (made.cutAfter === undefined) return response.end(made.body);
          response.write((made.body ?? "").slice(0, made.cutAfter), () => response.destroy());
          return;
        }
        pass(incoming, target, (answer) => {
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(response);
        });
      })();
    });
    return proxy;
  }

  count(method: string, part = ""): number {
    return this.requests.filter((one) => one.method === method && one.path.includes(part)).length;
  }

  /** As if it had just been opened. */
  reset(): void {
    this.requests.length = 0;
    this.answer = () => undefined;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

function pass(incoming: IncomingMessage, target: string, then: (answer: IncomingMessage) => void): void {
  const { hostname, port } = new URL(target);
  // A client that uses us as its proxy sends the whole address.
  const path = incoming.url?.replace(/^http:\/\/[^/]+/, "");
  // Keep the Host header: it is part of the signature.
  const options = { hostname, port, method: incoming.method, path, headers: incoming.headers };
  const outgoing = request({ ...options, setHost: false }, then);
  outgoing.on("error", () => incoming.destroy());
  incoming.on("close", () => incoming.complete || outgoing.destroy());
  incoming.pipe(outgoing);
}
