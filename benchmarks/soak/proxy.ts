import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy in front of the server that can be cut and stalled. */
export interface FaultyProxy {
  url: string;
  /** Ends every connection and accepts none, until it is mended. */
  cut(): void;
  /** Lets nothing through, and keeps the connections. */
  stall(): void;
  mend(): void;
  close(): Promise<void>;
}

/** The port is looked up for each connection: a restarted server has another one. */
export async function openProxy(port: () => number): Promise<FaultyProxy> {
  const open = new Set<{ inner: Socket; outer: Socket }>();
  let isCut = false;
  let isStalled = false;
  const server = createServer((outer) => {
    outer.on("error", () => undefined);
    if (isCut) return void outer.destroy();
    const inner = connect(port(), "127.0.0.1");
    const pair = { inner, outer };
    open.add(pair);
    if (!isStalled) join(pair);
    inner.on("error", () => undefined);
    for (const socket of [inner, outer])
      socket.on("close", () => {
        inner.destroy();
        outer.destroy();
        open.delete(pair);
      });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut() {
      isCut = true;
      for (const { outer } of open) outer.destroy();
    },
    stall() {
      isStalled = true;
      for (const { inner, outer } of open) {
        inner.unpipe(outer);
        outer.unpipe(inner);
        inner.pause();
        outer.pause();
      }
    },
    mend() {
      isCut = false;
      isStalled = false;
      for (const pair of open) join(pair);
    },
    async close() {
      for (const { outer } of open) outer.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function join({ inner, outer }: { inner: Socket; outer: Socket }): void {
  outer.pipe(inner);
  inner.pipe(outer);
}
