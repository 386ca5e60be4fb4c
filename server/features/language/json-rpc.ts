import { z } from "zod";

/** The wire format of language servers: JSON with a header that names its length. */
const RpcMessage = z.object({
  id: z.union([z.number(), z.string()]).nullish(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
});
export type RpcMessage = z.infer<typeof RpcMessage>;

const headerEnd = Buffer.from("\r\n\r\n");
const headerMax = 1_024;
const messageMax = 16 * 1024 * 1024;

export function encodeMessage(message: RpcMessage): Buffer {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

/** Takes bytes as they arrive and passes on whole messages. Throws on an invalid one. */
export function createMessageReader(onMessage: (message: RpcMessage) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let held = 0;
  let wanted = 0;

  return (chunk) => {
    parts.push(chunk);
    held += chunk.length;
    // Join the parts of a long message once, not with each part.
    while (held > 0 && held >= wanted) {
      const [first] = parts;
      const bytes = first && parts.length === 1 ? first : Buffer.concat(parts);
      const end = bytes.indexOf(headerEnd);
      if (end === -1 && held > headerMax) throw new Error("A language server's message has no header.");
      if (end === -1) return void (parts = [bytes]);
      const length = Number(/content-length: *(\d+)/i.exec(bytes.toString("latin1", 0, end))?.[1]);
      if (!(length <= messageMax)) throw new Error("A language server's message is too long.");
      const start = end + headerEnd.length;
      wanted = start + length;
      if (held < wanted) return void (parts = [bytes]);
      const rest = bytes.subarray(wanted);
      [parts, held, wanted] = [[rest], rest.length, 0];
      onMessage(RpcMessage.parse(JSON.parse(bytes.toString("utf8", start, start + length))));
    }
  };
}
