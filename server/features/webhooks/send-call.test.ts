import { lookup } from "node:dns";
import { createServer, type RequestListener, type Server } from "node:http";
import { afterEach, describe, expect, it } from "vitest";

import { isPublic, isWrittenPrivate, lookupPublic } from "../../platform/public-address.ts";
import { isArrived, sendCall } from "./send-call.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** The address of a server that answers so. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/hook`;
}

const call = (url: string) => ({ id: "1", url, secret: "s", event: "test", body: "{}" });
const send = (url: string, timeout = 5_000) => sendCall(call(url), { allowsPrivate: true, timeout });

describe("a call", () => {
  it("fails in time when the other side never answers", async () => {
    const url = await serve(() => undefined);
    const answer = await send(url, 300);
    expect(answer).toMatchObject({ status: null, answer: "No answer came within 0.3 seconds." });
  });

  it("arrives when the status comes and the answer drips, and does not wait for its end", async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write("x"), 20);
      response.on("close", () => clearInterval(drip));
    });
    const answer = await send(url, 2_500);
    expect(isArrived(answer)).toBe(true);
    expect(answer.answer).toMatch(/^x+$/);
    expect(answer.seconds).toBeLessThan(5);
  });

  it("reads only the beginning of a huge answer", async () => {
    let sent = 0;
    const url = await serve((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write("a".repeat(65_536))) sent += 65_536;
        response.once("drain", more);
      };
      more();
    });
    const answer = await send(url);
    expect(answer.status).toBe(200);
    expect(answer.answer).toBe("a".repeat(2_048));
    expect(sent).toBeLessThan(100_000_000);
  });

  it("does not follow a redirect", async () => {
    let visits = 0;
    const inside = await serve((_request, response) => {
      visits += 1;
      response.end("secret");
    });
    const url = await serve((_request, response) => response.writeHead(307, { location: inside }).end("elsewhere"));
    const answer = await send(url);
    expect(answer).toMatchObject({ status: 307, answer: "elsewhere" });
    expect(isArrived(answer)).toBe(false);
    expect(visits).toBe(0);
  });

  it.each([
    [500, false],
    [404, false],
    [204, true],
  ])("with the status %i has arrived: %s", async (status, arrived) => {
    const url = await serve((_request, response) => response.writeHead(status).end());
    expect(isArrived(await send(url))).toBe(arrived);
  });

  it("says that nothing answers at a closed port", async () => {
    const url = await serve(() => undefined);
    const [server] = servers.splice(0);
    await new Promise((resolve) => server?.close(resolve));
    expect(await send(url)).toMatchObject({ status: null, answer: "Nothing answers at that address." });
  });

  it("says that the connection was closed", async () => {
    const url = await serve((request) => request.socket.destroy());
    const answer = await send(url);
    expect(answer).toMatchObject({ status: null, answer: "The connection was closed before an answer came." });
  });

  it("ends when the other side wants to speak another protocol", async () => {
    const url = await serve(() => undefined);
    servers[0]?.on("connection", (socket) =>
      socket.once("data", () =>
        socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"),
      ),
    );
    const answer = await send(url);
    expect(answer.status).toBe(101);
    expect(isArrived(answer)).toBe(false);
  });

  it("keeps no bytes that are not text", async () => {
    const url = await serve((_request, response) => response.end(Buffer.from([0, 1, 0x61, 0xff, 0x0a])));
    expect((await send(url)).answer).toBe("\u{fffd}\u{fffd}a\u{fffd}\n");
  });
});

describe("a private address", () => {
  it.each([
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://localhost/",
    "http://x.localhost/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[::ffff:0:7f00:1]/",
    "http://[64:ff9b:1::7f00:1]/",
    "http://[5f00::1]/",
    "http://[4000::1]/",
    "http://[ff02::1]/",
    "http://[::]/",
    "http://10.1.2.3/",
    "http://172.20.0.1/",
    "http://192.168.1.1/",
    "http://169.254.169.254/latest/meta-data",
    "http://100.64.0.1/",
    "http://0.0.0.0/",
    "http://[fe80::1]/",
    "http://[fd00::1]/",
  ])("%s is not called", async (url) => {
    expect(isWrittenPrivate(new URL(url).hostname)).toBe(true);
    const answer = await sendCall(call(url), { allowsPrivate: false, timeout: 1_000 });
    expect(answer).toMatchObject({ status: null, answer: "The address is private, so it was not called." });
  });

  it.each(["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "172.32.0.1"])("%s is public", (address) => {
    expect(isPublic(address)).toBe(true);
  });

  it("is refused when a name leads to it at the moment of the connection", async () => {
    const found = await new Promise<string>((resolve) =>
      lookup("localhost", (error, address) => resolve(error ? "" : address)),
    );
    expect(isPublic(found)).toBe(false);
    for (const all of [true, false]) {
      const error = await new Promise((resolve) => lookupPublic("localhost", { all }, (failure) => resolve(failure)));
      expect(error).toEqual(new Error("The address is private."));
    }
  });
});
