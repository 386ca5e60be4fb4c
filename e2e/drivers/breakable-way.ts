import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

import { address } from "./people.ts";

/** A way to the product that a test can cut. */
export interface BreakableWay {
  /** The product's address on this way. */
  at: (path: string) => string;
  /** Ends every connection and accepts no other, until it is mended. */
  cut(): void;
  /** Lets nothing through, and keeps the connections. */
  stall(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function openBreakableWay(): Promise<BreakableWay> {
  const product = new URL(address("/"));
  const open = new Set<{ inner: Socket; outer: Socket }>();
  let isCut = false;
  const server = createServer((outer) => {
    if (isCut) return void outer.destroy();
    const inner = connect(Number(product.port), product.hostname);
    const pair = { inner, outer };
    open.add(pair);
    outer.pipe(inner);
    inner.pipe(outer);
    for (const socket of [inner, outer]) {
      socket.on("error", () => undefined);
      socket.on("close", () => {
        inner.destroy();
        outer.destroy();
        open.delete(pair);
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    at: (path) => `http://127.0.0.1:${port}${path}`,
    cut() {
      isCut = true;
      for (const { outer } of open) outer.destroy();
    },
    stall() {
      for (const { inner, outer } of open) {
        inner.unpipe(outer);
        outer.unpipe(inner);
      }
    },
    mend() {
      isCut = false;
      for (const { inner, outer } of open) {
        outer.pipe(inner);
        inner.pipe(outer);
      }
    },
    async close() {
      for (const { outer } of open) outer.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
