import { placeHeader } from "@miranda/contract/errors.ts";

export interface CodePlace {
  node: number;
  line: number;
}

export class HttpError extends Error {
  readonly status: number;
  /** Where in which node's code the reason is. */
  readonly place: CodePlace | undefined;

  constructor(status: number, message: string, place?: CodePlace) {
    super(message);
    this.name = "HttpError";
    this.status = status;
    this.place = place;
  }
}

export type FormFields = Record<string, string | number | boolean | File | null | undefined>;

interface CallOptions {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  fields?: FormFields;
  signal?: AbortSignal;
  priority?: RequestPriority;
}

/** Every call to the server: as the signed-in account, a form out, JSON back, and a refusal's own words as the error. */
export async function call<Result>(path: string, options: CallOptions = {}): Promise<Result> {
  const response = await send(path, options);
  const text = await response.text();
  if (!response.ok)
    throw new HttpError(response.status, text || `The server answered ${response.status}.`, placeOf(response));
  return (text === "" ? undefined : JSON.parse(text)) as Result;
}

export async function send(path: string, { method = "GET", fields, signal, priority }: CallOptions): Promise<Response> {
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
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  const form = given.some(([, value]) => value instanceof File) ? new FormData() : new URLSearchParams();
  for (const [name, value] of given) {
    if (!(value instanceof File)) form.append(name, String(value));
    else if (form instanceof FormData) form.append(name, value);
  }
  return form;
}
