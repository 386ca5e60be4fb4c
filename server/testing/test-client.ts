type Form = Record<string, string | number | boolean>;

export interface Answer {
  status: number;
  text: string;
  bytes: Buffer;
  headers: Headers;
  json<T>(): T;
}

/** A browser's HTTP: keeps cookies, sends forms, sends an Origin only on request. */
export class TestClient {
  readonly cookies = new Map<string, string>();
  readonly #base: string;
  headers: Record<string, string> = {};

  constructor(base: string) {
    this.#base = base;
  }

  get(path: string): Promise<Answer> {
    return this.send("GET", path);
  }
  post(path: string, form?: Form): Promise<Answer> {
    return this.send("POST", path, form && encode(form));
  }
  put(path: string, form?: Form): Promise<Answer> {
    return this.send("PUT", path, form && encode(form));
  }
  patch(path: string, form?: Form): Promise<Answer> {
    return this.send("PATCH", path, form && encode(form));
  }
  delete(path: string, form?: Form): Promise<Answer> {
    return this.send("DELETE", path, form && encode(form));
  }
  postJson(path: string, value: unknown): Promise<Answer> {
    return this.send("POST", path, JSON.stringify(value), { "content-type": "application/json" });
  }

  async send(
    method: string,
    path: string,
    body?: RequestInit["body"],
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(this.#base + path, {
      method,
      redirect: "manual",
      headers: { ...(cookie && { cookie }), ...this.headers, ...headers },
      ...(body !== undefined && { body }),
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    const bytes = Buffer.from(await response.arrayBuffer());
    const text = bytes.toString();
    return {
      status: response.status,
      headers: response.headers,
      text,
      bytes,
      json: <T>() => JSON.parse(text) as T,
    };
  }

  #keep(line: string): void {
    const [pair = "", ...attributes] = line.split(";");
    const [name = "", value = ""] = pair.split("=");
    const ended = attributes.some((attribute) => /^\s*(max-age=0|expires=thu, 01 jan 1970)/i.test(attribute));
    if (ended || value === "") this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

function encode(form: Form): URLSearchParams {
  return new URLSearchParams(Object.entries(form).map(([name, value]): [string, string] => [name, String(value)]));
}
