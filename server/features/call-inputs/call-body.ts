import { type InputField, typeOfField } from "@miranda/contract/call-inputs/field-types.ts";
import { nodeFile } from "@miranda/contract/limits.ts";
import type { InputProblem } from "@miranda/contract/schemas/deployments/calls.ts";
import type { FastifyReply, FastifyRequest } from "fastify";

import { callApi as limits } from "../../limits.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import { announcedLength, watchLength } from "../../platform/http/body-length.ts";
import { formFieldsMax } from "../../platform/http/form-decoding.ts";
import { refuseUnread } from "../../platform/http/refuse-unread.ts";
import { createOpenCounts } from "../../platform/limits/open-counts.ts";
import type { Given } from "./call-inputs-service.ts";
import { SentFile } from "./given-files.ts";

interface Sender {
  request: FastifyRequest;
  reply: FastifyReply;
  /** Who is counted. */
  caller: string;
}

export type CallBodies = ReturnType<typeof createCallBodies>;

/** Reads the bodies of calls: JSON, or forms with files. */
export function createCallBodies() {
  const take = createOpenCounts({
    ...{ perCaller: limits.formsPerCaller, inAll: Infinity, words: busyWords, retrySeconds: limits.retrySeconds },
  });
  let held = 0;
  let heldOfStrangers = 0;

  /**
   * Limits the memory of all forms, and the forms of each caller: slow forms of one must not keep others out. Strangers share
   * half of it.
   */
  async function useForm<Result>(
    { request, reply, caller }: Sender,
    fields: readonly InputField[],
    use: (given: Given) => Promise<Result>,
  ): Promise<Result> {
    if (announcedLength(request) > limits.formMax) throw refuseUnread(request, reply, tooLarge());
    let end = (): void => undefined;
    let own = 0;
    const isStranger = !request.caller;
    const count = (bytes: number): void => {
      own += bytes;
      held += bytes;
      if (isStranger) heldOfStrangers += bytes;
    };
    const hold = (bytes: number): void => {
      count(bytes);
      if (held > limits.formsInAll || heldOfStrangers > limits.formsInAll / 2) throw busy();
    };
    try {
      end = take(caller);
      // The files stay in memory until they are used.
      return await use(await readParts(request, fields, hold));
    } catch (error) {
      throw refuseUnread(request, reply, error);
    } finally {
      count(-own);
      end();
    }
  }

  return {
    /** Reads a body and makes the call with it. */
    use<Result>(call: Sender, fields: readonly InputField[], use: (given: Given) => Promise<Result>): Promise<Result> {
      const { request } = call;
      if (request.isMultipart()) return useForm(call, fields, use);
      const isForm = request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true;
      return use({ values: request.body ?? {}, source: isForm ? "form" : "json" });
    },
  };
}

function tooLarge(): AppError {
  return new AppError(
    "body_too_large",
    `That is too large. All files together may have ${limits.formMax / 1024 ** 2} MB.`,
  );
}

const busyWords = "Too many files are being sent. Try again soon.";

function busy(): AppError {
  return new AppError("too_many_calls", busyWords, limits.retrySeconds);
}

async function readParts(
  request: FastifyRequest,
  fields: readonly InputField[],
  hold: (bytes: number) => void,
): Promise<Given> {
  const values: Record<string, unknown> = {};
  const problems: InputProblem[] = [];
  const mostOf = new Map(
    fields
      .filter((field) => typeOfField(field) === "file")
      .map((field) => [field.name, Math.min(field.max ?? nodeFile.sizeMax, nodeFile.sizeMax)]),
  );
  // One byte more than anybody may send shows that there is more.
  const options = {
    throwFileSizeLimit: false,
    limits: { fileSize: nodeFile.sizeMax + 1, fieldSize: limits.formMax, fields: formFieldsMax, files: formFieldsMax },
  };
  const parts = request.parts(options);
  const overflow = watchLength(request, limits.formMax, tooLarge);
  try {
    for (;;) {
      const next = await Promise.race([parts.next(), overflow.promise]);
      if (next.done) break;
      const part = next.value;
      const name = part.fieldname;
      if (Object.hasOwn(values, name)) problems.push({ field: name.slice(0, 60), message: "It was sent twice." });
      if (part.type === "field") {
        const text = typeof part.value === "string" ? part.value : JSON.stringify(part.value);
        hold(text.length);
        define(values, name, text);
        continue;
      }
      const most = mostOf.get(name);
      const { size, data } = await Promise.race([readFile(part.file, most ?? 0, hold), overflow.promise]);
      define(values, name, new SentFile({ name: part.filename, type: part.mimetype, size, data }));
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("invalid_body", "The body is not a valid multipart form.");
  } finally {
    overflow.end();
  }
  return { values, source: "form", problems };
}

/** A file that is larger than its field allows is read on, but not kept: the other fields are checked as well. */
async function readFile(
  file: AsyncIterable<Buffer>,
  most: number,
  hold: (bytes: number) => void,
): Promise<{ size: number; data: Buffer | undefined }> {
  let size = 0;
  let chunks: Buffer[] | undefined = [];
  for await (const chunk of file) {
    size += chunk.length;
    if (size > most) chunks = undefined;
    if (!chunks) continue;
    hold(chunk.length);
    chunks.push(chunk);
  }
  return { size, data: chunks && Buffer.concat(chunks) };
}

function define(values: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(values, name, { value, enumerable: true, configurable: true, writable: true });
}
