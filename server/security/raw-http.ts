import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A connection on which a client sends any bytes at any time. */
export class RawConnection {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  received = "";
  /** The bytes handed to the kernel. */
  sent = 0;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding("latin1").on("data", (chunk) => (this.received += chunk));
    // A connection closed while sending emits an error.
    socket.on("error", () => undefined);
    this.closed = new Promise((resolve) => void socket.once("close", () => resolve()));
  }

  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    return new RawConnection(socket);
  }

  head(method: string, path: string, headers: Record<string, string | number>): void {
    const lines = Object.entries({ host: "miranda", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    this.socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
  }

  /** Sends this many bytes, or as many as the other end takes before it closes. */
  async pour(bytes: number): Promise<void> {
    const piece = Buffer.alloc(64 * 1024, "x");
    while (this.sent < bytes && !this.socket.destroyed) {
      this.sent += piece.length;
      if (!this.socket.write(piece))
        await Promise.race([once(this.socket, "drain").catch(() => undefined), this.closed]);
    }
  }

  async status(): Promise<number> {
    while (!/^HTTP\/1\.1 \d{3}/.test(this.received) && !this.socket.closed)
      await Promise.race([once(this.socket, "data").catch(() => undefined), this.closed]);
    return Number(this.received.slice(9, 12));
  }

  close(): void {
    this.socket.destroy();
  }
}
