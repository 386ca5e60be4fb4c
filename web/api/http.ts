export class HttpError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "HttpError";
    this.status = status;
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
  if (!response.ok) throw new HttpError(response.status, text || `The server answered ${response.status}.`);
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

export function formBody(fields: FormFields): URLSearchParams | FormData {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  const form = given.some(([, value]) => value instanceof File) ? new FormData() : new URLSearchParams();
  for (const [name, value] of given) {
    if (!(value instanceof File)) form.append(name, String(value));
    else if (form instanceof FormData) form.append(name, value);
  }
  return form;
}
