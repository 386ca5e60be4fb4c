import { errorHeader, readPlace, type RefusedPlace } from "@miranda/contract/error-headers.ts";
import type { ErrorCode } from "@miranda/contract/errors.ts";
import { totalHeader } from "@miranda/contract/list-total.ts";
import type { InputProblem } from "@miranda/contract/schemas/deployments/calls.ts";

import { isRecord } from "../is-record.ts";
import { upload } from "./upload.ts";

export class HttpError extends Error {
  readonly status: number;
  /** Undefined when the answer does not come from Miranda itself. */
  readonly code: ErrorCode | undefined;
  /** The line of node code, or the field, that caused the refusal. */
  readonly place: RefusedPlace | undefined;
  /** What is wrong with the fields of a call. */
  readonly problems: readonly InputProblem[];

  constructor(
    status: number,
    message: string,
    {
      code,
      place,
      problems = [],
    }: { code?: ErrorCode | undefined; place?: RefusedPlace | undefined; problems?: InputProblem[] } = {},
  ) {
    super(message);
    this.name = "HttpError";
    this.status = status;
    this.code = code;
    this.place = place;
    this.problems = problems;
  }
}

/** Whether a call was refused with this code. */
export function isRefusedWith(cause: unknown, code: ErrorCode): boolean {
  if (cause instanceof HttpError) return cause.code === code;
  return cause instanceof Error && cause.cause !== undefined && isRefusedWith(cause.cause, code);
}

/** Turns a refusing answer into an error. */
function errorOf(response: Response, text: string, unexplained: string | undefined): HttpError {
  const code = response.headers.get(errorHeader) ?? "";
  const problems = problemsOf(response, text);
  const words = problems.length > 0 ? problems.map(({ message }) => message).join("\n") : text.trim();
  return new HttpError(response.status, words || (unexplained ?? `The server answered ${response.status}.`), {
    // Not compared with the list of codes: the first screen must load without its words.
    code: code === "" ? undefined : (code as ErrorCode),
    place: readPlace(response.headers),
    problems,
  });
}

function problemsOf({ headers }: Response, text: string): InputProblem[] {
  if (!(headers.get("content-type") ?? "").startsWith("application/json")) return [];
  const body: unknown = JSON.parse(text);
  const { problems } = isRecord(body) ? body : {};
  return Array.isArray(problems) ? (problems as InputProblem[]) : [];
}

export type FormFields = Record<string, string | number | boolean | File | null | undefined>;

interface CallOptions {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  fields?: FormFields;
  /** A body that is not a form of `fields`. */
  body?: { json: unknown } | { form: FormData };
  /** Of a form: how much of it has been sent, from 0 to 1. */
  onProgress?: ((share: number) => void) | undefined;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  priority?: RequestPriority;
  /** A refusal with this status is an answer like any other. */
  answeredWith?: number;
  /** The words for a refusal that has none. */
  unexplained?: string;
}

/**
 * Makes every call to the server: as the signed-in account, form in, JSON out. A refusal becomes an error with the
 * server's message.
 */
export async function call<Result>(path: string, options: CallOptions = {}): Promise<Result> {
  return (await answerOf<Result>(path, options)).body;
}

/** A call for a page of a list. `total` is how many entries there are, `1000+` for many, null when the answer has none. */
export async function callPage<Page>(
  path: string,
  options: CallOptions = {},
): Promise<{ page: Page; total: string | null }> {
  const { body, headers } = await answerOf<Page>(path, options);
  return { page: body, total: headers.get(totalHeader) };
}

/** A page of a list, and how many items there are: "12", or "1000+". Only the first page has the total. */
export async function callList<Item>(
  path: string,
  options: CallOptions = {},
): Promise<{ items: Item[]; total: string | undefined }> {
  const { page, total } = await callPage<Item[]>(path, options);
  return { items: page, total: total ?? undefined };
}

/** The answer itself, for a file or a stream. */
export async function fetchAnswer(path: string, options: CallOptions): Promise<Response> {
  const response = await send(path, options);
  if (!response.ok) throw errorOf(response, await response.text(), options.unexplained);
  return response;
}

async function answerOf<Result>(path: string, options: CallOptions): Promise<{ body: Result; headers: Headers }> {
  const response = await send(path, options);
  const text = await response.text();
  if (!response.ok && response.status !== options.answeredWith) throw errorOf(response, text, options.unexplained);
  // Not parsed again: the server sends what the contract says, and the first screen must load without zod.
  return { body: (text === "" ? undefined : JSON.parse(text)) as Result, headers: response.headers };
}

async function send(path: string, options: CallOptions): Promise<Response> {
  const { method = "GET", fields, body, headers, signal, priority, onProgress } = options;
  const isJson = body !== undefined && "json" in body;
  try {
    if (onProgress && body && !isJson)
      return await upload(path, {
        ...{ method, form: body.form, onProgress },
        headers: { accept: "application/json", ...headers },
      });
    return await fetch(path, {
      method,
      credentials: "include",
      headers: { accept: "application/json", ...(isJson && { "content-type": "application/json" }), ...headers },
      body: body ? (isJson ? JSON.stringify(body.json) : body.form) : fields ? formBody(fields) : null,
      signal: signal ?? null,
      ...(priority && { priority }),
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new Error("Miranda cannot be reached. Check your connection and try again.", { cause });
  }
}

export function formBody(fields: FormFields): URLSearchParams | FormData {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  const form = present.some(([, value]) => value instanceof File) ? new FormData() : new URLSearchParams();
  for (const [name, value] of present) {
    if (!(value instanceof File)) form.append(name, String(value));
    else if (form instanceof FormData) form.append(name, value);
  }
  return form;
}
