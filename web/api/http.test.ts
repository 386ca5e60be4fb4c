import { afterEach, describe, expect, it, vi } from "vitest";

import { call, formBody, HttpError } from "./http.ts";

function answerWith(response: Response) {
  const fetch = vi.fn<typeof globalThis.fetch>().mockResolvedValue(response);
  vi.stubGlobal("fetch", fetch);
  return fetch;
}

afterEach(() => vi.unstubAllGlobals());

describe("call", () => {
  it("sends a form with credentials and parses the JSON answer", async () => {
    const fetch = answerWith(Response.json({ id: "7" }));
    await expect(call("/api/v3/projects/", { method: "POST", fields: { name: "a b" } })).resolves.toEqual({ id: "7" });
    const [path, request] = fetch.mock.calls[0] ?? [];
    expect(path).toBe("/api/v3/projects/");
    expect(request).toMatchObject({ method: "POST", credentials: "include" });
    expect(request?.body).toEqual(new URLSearchParams({ name: "a b" }));
  });

  it("rejects with the body of a refusal", async () => {
    answerWith(new Response("That username is taken.", { status: 409 }));
    const refusal = await call("/api/v3/auth/register", { method: "POST" }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(HttpError);
    expect(refusal).toMatchObject({ message: "That username is taken.", status: 409 });
  });

  it("returns a refusal whose status counts as an answer", async () => {
    answerWith(Response.json({ detail: "Not signed in." }, { status: 401 }));
    await expect(call("/api/v3/auth/", { answeredWith: 401 })).resolves.toEqual({ detail: "Not signed in." });
    answerWith(new Response("Try later.", { status: 503 }));
    await expect(call("/api/v3/auth/", { answeredWith: 401 })).rejects.toThrow("Try later.");
  });

  it("uses the given words for a refusal without any", async () => {
    answerWith(new Response("", { status: 500 }));
    await expect(call("/api/v3/projects/browse", { unexplained: "Unknown." })).rejects.toThrow("Unknown.");
    answerWith(new Response("Too many.", { status: 429 }));
    await expect(call("/api/v3/projects/browse", { unexplained: "Unknown." })).rejects.toThrow("Too many.");
  });

  it("rejects with a clear message when the server cannot be reached", async () => {
    vi.stubGlobal("fetch", vi.fn<typeof globalThis.fetch>().mockRejectedValue(new TypeError("Failed to fetch")));
    await expect(call("/api/v3/projects/")).rejects.toThrow("Miranda cannot be reached.");
  });
});

describe("formBody", () => {
  it("leaves out undefined values and keeps empty ones", () => {
    const body = formBody({ name: "", size: 2, on: false, none: null, missing: undefined });
    expect([...body.entries()]).toEqual([
      ["name", ""],
      ["size", "2"],
      ["on", "false"],
    ]);
  });

  it("is multipart when it contains a file", () => {
    const file = new File(["x"], "x.png");
    const body = formBody({ avatar: file, name: "a" });
    expect(body).toBeInstanceOf(FormData);
    expect(body.get("name")).toBe("a");
    expect(body.get("avatar")).toBeInstanceOf(File);
  });
});
