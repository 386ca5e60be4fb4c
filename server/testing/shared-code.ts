import type { CodeDocumentEvent, CodeUpdateEvent } from "@miranda/contract/schemas/code.ts";
import * as Y from "yjs";

import type { TestClient } from "./test-client.ts";
import type { TestServer } from "./test-server.ts";
import { connect, type TestSocket, until } from "./test-socket.ts";

/** A client's copy of one node's code: what an editor keeps, without the editor. */
export class SharedCode {
  readonly id: number;
  readonly doc = new Y.Doc();
  epoch: string | null = null;
  socket: TestSocket | undefined;
  refusals: string[] = [];

  constructor(id: number) {
    this.id = id;
    this.doc.on("update", (update: Uint8Array, origin: unknown) => {
      if (origin !== "server") void this.send(update);
    });
  }

  /** The code of a node as a person gets it who opens it in an editor. Whoever asks closes its socket. */
  static async opened(server: TestServer, person: TestClient, graph: string, node: number): Promise<SharedCode> {
    const code = new SharedCode(node);
    const socket = await connect(server, person);
    const refusal = (await socket.enter(graph)) ?? (await code.open(socket));
    if (refusal !== null) throw new Error(refusal);
    await until(() => code.epoch !== null, "no document came");
    return code;
  }

  get text(): string {
    return this.doc.getText("code").toJSON();
  }

  /** Opens the document. After a reconnect also sends what the server lacks. */
  async open(socket: TestSocket): Promise<string | null> {
    this.socket = socket;
    socket.socket.on("code_document", (event: CodeDocumentEvent) => {
      if (event.metadata_id !== this.id) return;
      this.epoch = event.epoch;
      Y.applyUpdate(this.doc, new Uint8Array(event.update), "server");
      const missing = Y.encodeStateAsUpdate(this.doc, new Uint8Array(event.vector));
      if (missing.length > 2) void this.send(missing);
    });
    socket.socket.on("code_update", (event: CodeUpdateEvent) => {
      if (event.metadata_id === this.id) Y.applyUpdate(this.doc, new Uint8Array(event.update), "server");
    });
    const vector = this.epoch === null ? null : Buffer.from(Y.encodeStateVector(this.doc));
    return socket.ask("code_open", this.id, this.epoch, vector);
  }

  async send(update: Uint8Array): Promise<string | null> {
    if (!this.socket?.socket.connected) return null;
    // A lost connection acknowledges nothing. Opening again sends what is missing.
    const asked = this.socket.ask("code_update", this.id, this.epoch, Buffer.from(update));
    const refusal = await asked.catch(() => null);
    if (refusal !== null) this.refusals.push(refusal);
    return refusal;
  }

  type(at: number, text: string): void {
    this.doc.getText("code").insert(at, text);
  }
}
