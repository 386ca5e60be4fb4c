import { errorHeader, type ErrorCode, isErrorCode, placeHeader } from "@miranda/contract/errors.ts";
import { totalHeader } from "@miranda/contract/list-total.ts";

export interface CodePlace {
  node: number;
  line: number;
}

export class HttpError extends Error {
  readonly status: number;
  /** Undefined when the answer does not come from Miranda itself. */
  readonly code: ErrorCode | undefined;
  /** The line of node code that caused the refusal. */
  readonly place: CodePlace | undefined;

  constructor(
    status: number,
    message: string,
    { code, place }: { code?: ErrorCode | undefined; place?: CodePlace | undefined } = {},
  ) {
    super(message);
    this.name = "HttpError";
    this.status = status;
    this.code = code;
    this.place = place;
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
  const message = text.trim() || (unexplained ?? `The server answered ${response.status}.`);
  return new HttpError(response.status, message, {
    code: isErrorCode(code) ? code : undefined,
    place: placeOf(response),
  });
}

export type FormFields = Record<string, string | number | boolean | File | null | undefined>;

interface CallOptions {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  fields?: FormFields;
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

async function answerOf<Result>(path: string, options: CallOptions): Promise<{ body: Result; headers: Headers }> {
  const response = await send(path, options);
  const text = await response.text();
  if (!response.ok && response.status !== options.answeredWith) throw errorOf(response, text, options.unexplained);
  // Not parsed again: the server sends what the contract says, and the first screen must load without zod.
  return { body: (text === "" ? undefined : JSON.parse(text)) as Result, headers: response.headers };
}

async function send(path: string, { method = "GET", fields, signal, priority }: CallOptions): Promise<Response> {
  try {
    return await fetch(path, {
      method,
      credentials: "include",
      headers: { accept: "application/json" },
      body: fields ? formBody(fields) : null,
      signal: signal ?? null,
      ...(priority && { priority }),
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new Error("Miranda cannot be reached. Check your connection and try again.", { cause });
  }
}

function placeOf({ headers }: Response): CodePlace | undefined {
  const [node, line] = (headers.get(placeHeader) ?? "").split(":").map(Number);
  return node && line ? { node, line } : undefined;
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
