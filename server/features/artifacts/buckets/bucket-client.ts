import { createReadStream } from "node:fs";
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";

import { artifactBuckets as limits } from "../../../limits.ts";
import { isWrittenPrivate, lookupPublic, PrivateAddress } from "../../../platform/public-address.ts";
import type { ByteRange } from "../content-files.ts";
import { addressOf, type BucketPlace, keyPath, regionOf } from "./bucket-place.ts";
import { BucketProblem, connectionProblem, refusal } from "./bucket-problem.ts";
import { queryText, sha256, sign } from "./sign.ts";
import { safely } from "../../../platform/errors/safely.ts";

/** A part of a file on our disk. To send it again, we read it again. */
export interface FilePart {
  path: string;
  start: number;
  bytes: number;
}

type Body = string | FilePart;

export interface FinishedPart {
  number: number;
  tag: string;
}

export type BucketClient = ReturnType<ReturnType<typeof createBucketClients>["of"]>;

const bytesOf = (body: Body): number => (typeof body === "string" ? Buffer.byteLength(body) : body.bytes);

/** Clients for S3. They follow no redirects, and never hold a whole part of a file in memory. */
export function createBucketClients({ allowsPrivate }: { allowsPrivate: boolean }) {
  // A reused connection goes to the address that was checked when the connection was made.
  const options = { keepAlive: true, maxSockets: limits.connections, ...(!allowsPrivate && { lookup: lookupPublic }) };
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };

  function of(place: BucketPlace) {
    const address = addressOf(place);

    /** Sends one request. Returns the answer, also a refusal, before its body is read. */
    function sendOnce(
      method: string,
      object: string,
      query: Record<string, string>,
      body: Body,
      { range, signal }: { range?: ByteRange; signal?: AbortSignal },
    ): Promise<IncomingMessage> {
      if (!allowsPrivate && isWrittenPrivate(address.hostname)) throw new PrivateAddress();
      const path = `${address.path}/${keyPath(place, object)}`;
      const contentHash = typeof body === "string" ? sha256(body) : "UNSIGNED-PAYLOAD";
      const signed = sign({ method, host: address.host, path, query, contentHash }, regionOf(place.region), place.keys);
      const search = queryText(query);
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      const send = address.isHttps ? requestHttps : requestHttp;
      const outgoing = send(
        {
          method,
          hostname: address.hostname.replace(/^\[|\]$/g, ""),
          port: address.port,
          path: search === "" ? path : `${path}?${search}`,
          agent: address.isHttps ? agents.https : agents.http,
          timeout: limits.silence,
          ...(signal && { signal }),
          headers: {
            ...signed,
            "content-length": bytesOf(body),
            ...(range && { range: `bytes=${range.start}-${range.end}` }),
          },
        },
        safely(
          (answer: IncomingMessage) => {
            // The server refused before it read our whole body: stop sending the rest.
            answer.once(
              "end",
              safely(() => outgoing.writableEnded || outgoing.destroy()),
            );
            resolve(answer);
          },
          (error) => reject(error),
        ),
      );
      outgoing.on(
        "timeout",
        safely(() => outgoing.destroy(new BucketProblem("Its server does not answer.", undefined, true))),
      );
      outgoing.on("error", reject);
      outgoing.on(
        "upgrade",
        safely(
          (_answer, socket) => {
            socket.destroy();
            reject(new BucketProblem("What answers there is not S3."));
          },
          (error) => reject(error),
        ),
      );
      if (typeof body === "string") outgoing.end(body);
      else if (body.bytes === 0) outgoing.end();
      else {
        const { path: file, start, bytes } = body;
        const content = createReadStream(file, { start, end: start + bytes - 1, highWaterMark: limits.readBytes });
        content.on(
          "error",
          safely((error) => outgoing.destroy(error)),
        );
        outgoing.on(
          "close",
          safely(() => content.destroy()),
        );
        content.pipe(outgoing);
      }
      return promise;
    }

    /** Retries what may work a moment later. Returns an answer that is a success or has an `allowed` status. */
    async function send(
      method: string,
      object: string,
      query: Record<string, string>,
      body: Body = "",
      { allowed = [], ...more }: { allowed?: number[]; range?: ByteRange; signal?: AbortSignal } = {},
    ): Promise<IncomingMessage> {
      for (let tried = 1; ; tried += 1) {
        try {
          const answer = await sendOnce(method, object, query, body, more);
          const status = answer.statusCode ?? 0;
          if ((status >= 200 && status < 300) || allowed.includes(status)) return answer;
          throw refusal(status, await textOf(answer));
        } catch (error) {
          const problem = connectionProblem(error);
          if (!problem.isTemporary || tried >= limits.tries || more.signal?.aborted) throw problem;
          await pause(limits.pause * 2 ** tried);
        }
      }
    }

    const done = async (answer: Promise<IncomingMessage>): Promise<void> => void (await textOf(await answer));

    return {
      put: (object: string, body: Body): Promise<void> => done(send("PUT", object, {}, body)),

      /** Undefined when the object is not there or has another size. */
      async read(object: string, bytes: number, range?: ByteRange): Promise<Readable | undefined> {
        const answer = await send("GET", object, {}, "", { allowed: [404], ...(range && { range }) });
        const expected = range ? range.end - range.start + 1 : bytes;
        if (answer.statusCode !== 404 && Number(answer.headers["content-length"]) === expected) return answer;
        answer.destroy();
        return undefined;
      },

      /** The size of an object. */
      async size(object: string): Promise<number> {
        const answer = await send("HEAD", object, {});
        answer.resume();
        return Number(answer.headers["content-length"]);
      },

      /** `signal`: gives up, whatever the server does. One that sends a byte a minute would never be silent. */
      remove: (object: string, signal?: AbortSignal): Promise<void> =>
        done(send("DELETE", object, {}, "", { allowed: [404], ...(signal && { signal }) })),

      async beginParts(object: string): Promise<string> {
        const [, id = ""] =
          /<UploadId>([^<]{1,1000})<\/UploadId>/.exec(await textOf(await send("POST", object, { uploads: "" }))) ?? [];
        if (id === "") throw new BucketProblem("What answers there is not S3.");
        return id;
      },

      async putPart(object: string, uploadId: string, number: number, part: FilePart): Promise<FinishedPart> {
        const answer = await send("PUT", object, { partNumber: String(number), uploadId }, part);
        await textOf(answer);
        return { number, tag: answer.headers.etag ?? "" };
      },

      async endParts(object: string, uploadId: string, parts: readonly FinishedPart[]): Promise<void> {
        const lines = parts.map(
          ({ number, tag }) =>
            `<Part><PartNumber>${number}</PartNumber><ETag>${tag.replaceAll(/[<>&]/g, "")}</ETag></Part>`,
        );
        const body = `<CompleteMultipartUpload>${lines.join("")}</CompleteMultipartUpload>`;
        // Joining the parts takes long, so S3 may answer 200 first and report an error in the body.
        const text = await textOf(await send("POST", object, { uploadId }, body));
        if (text.includes("<Error>")) throw refusal(500, text);
      },

      dropParts: (object: string, uploadId: string, signal?: AbortSignal): Promise<void> =>
        done(send("DELETE", object, { uploadId }, "", { allowed: [404], ...(signal && { signal }) })),
    };
  }

  return {
    of,
    close(): void {
      for (const agent of [agents.http, agents.https]) agent.destroy();
    },
  };
}

/** The whole of a short answer. */
async function textOf(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of answer as AsyncIterable<Buffer>) {
      bytes += piece.length;
      // Leaving the loop closes the connection.
      if (bytes > limits.answerMax) throw new BucketProblem("What answers there is not S3.");
      pieces.push(piece);
    }
  } catch (error) {
    throw connectionProblem(error);
  }
  return Buffer.concat(pieces).toString("utf8");
}
