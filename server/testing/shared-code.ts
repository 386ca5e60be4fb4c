import type { CodeDocumentEvent, CodeUpdateEvent } from "@miranda/contract/schemas/code.ts";
import * as Y from "yjs";

import type { TestSocket } from "./test-socket.ts";

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
