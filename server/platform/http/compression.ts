import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { pipeline, Readable, type Transform } from "node:stream";
import { promisify } from "node:util";
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from "node:zlib";

import { chooseEncoding, type Encoding } from "./accept-encoding.ts";

/** Smaller answers fit into one packet anyway. */
const bytesMin = 1_400;

// Quick settings: an answer is compressed once and sent once. zlib works in its own threads, not on the event loop.
const chunkSize = 64 * 1024;
const ofZstd = { chunkSize, params: { [constants.ZSTD_c_compressionLevel]: 3 } };
const ofBrotli = { chunkSize, params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const ofGzip = { chunkSize, level: 4 };

interface Compressor {
  whole: (body: Buffer) => Promise<Buffer>;
  stream: () => Transform;
}

const compressors: Record<Encoding, Compressor> = {
  zstd: { whole: (body) => promisify(zstdCompress)(body, ofZstd), stream: () => createZstdCompress(ofZstd) },
  br: { whole: (body) => promisify(brotliCompress)(body, ofBrotli), stream: () => createBrotliCompress(ofBrotli) },
  gzip: { whole: (body) => promisify(gzip)(body, ofGzip), stream: () => createGzip(ofGzip) },
};

// Not a stream of events: it would wait in the compressor.
const compressible =
  /^(?:text\/(?!event-stream)|image\/svg\+xml|application\/(?:json|javascript|xml|[\w.-]+\+(?:json|xml))(?:;|$))/;

// The answers of these calls have tokens and secrets. The length of a compressed answer would help to guess them.
const withSecrets = /^\/api\/(?:runner|v3\/(?:auth|secrets|projects\/[^/]+\/webhooks))(?:\/|$)/;

/** Compresses large texts with what the client accepts. Everything else is sent as it is. */
export function installCompression(app: FastifyInstance): void {
  app.addHook("onSend", async (request, reply, payload) => {
    if (!isWorthIt(reply, payload)) return payload;
    addVary(reply);
    const encoding = mayCompress(request) ? chooseEncoding(request.headers["accept-encoding"]) : undefined;
    if (!encoding) return payload;
    reply.header("content-encoding", encoding).removeHeader("content-length").removeHeader("accept-ranges");
    if (payload instanceof Readable) return compressStream(payload, encoding, request.method === "HEAD");
    return compressors[encoding].whole(Buffer.from(payload));
  });
}

type Payload = string | Buffer | Readable;

function isWorthIt(reply: FastifyReply, payload: unknown): payload is Payload {
  if (reply.hasHeader("content-encoding") || reply.hasHeader("content-range")) return false;
  if (!compressible.test(String(reply.getHeader("content-type") ?? ""))) return false;
  if (payload instanceof Readable) return Number(reply.getHeader("content-length") ?? bytesMin) >= bytesMin;
  return (typeof payload === "string" || Buffer.isBuffer(payload)) && payload.length >= bytesMin;
}

/**
 * Not for calls with secrets, and not for a request that a page of another site made: such a page could repeat a request
 * with its own text in it, and learn from the lengths what else is in the answer (the BREACH attack).
 */
function mayCompress({ headers, routeOptions }: FastifyRequest): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  return !withSecrets.test(routeOptions.url ?? "");
}

/** Nobody reads the body of an answer to HEAD, so it is not compressed. */
function compressStream(body: Readable, encoding: Encoding, isHead: boolean): Readable {
  if (isHead) return body;
  const compressed = compressors[encoding].stream();
  // Ends both when the client leaves or the body fails. Fastify reports the failure of the one it sends.
  pipeline(body, compressed, () => undefined);
  return compressed;
}

export function addVary(reply: FastifyReply): void {
  const known = reply.getHeader("vary");
  if (known === undefined) reply.header("vary", "accept-encoding");
  else if (!/accept-encoding|\*/i.test(String(known))) reply.header("vary", `${String(known)}, accept-encoding`);
}
