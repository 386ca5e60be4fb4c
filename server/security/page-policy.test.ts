import { afterAll, beforeAll, expect, it } from "vitest";

import { startTestServer, type TestServer } from "../testing/test-server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

it.each(["/", "/login", "/designer", "/api/docs", "/api/v3/auth/", "/api/v3/nowhere", "/elsewhere"])(
  "lets %s load from no other host",
  async (path) => {
    const answer = await server.anonymous().get(path);
    const policy = (answer.headers.get("content-security-policy") ?? "").split("; ");
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain("img-src 'self' data: blob:");
    expect(policy).toContain("frame-src 'none'");
    expect(policy).toContain("object-src 'none'");
    expect(policy).toContain("base-uri 'none'");
    // A scheme alone, a star or a host would let a page contact others.
    const sources = policy.flatMap((directive) => directive.split(" ").slice(1));
    for (const source of sources) expect(["'self'", "'none'", "'unsafe-inline'", "data:", "blob:"]).toContain(source);
    expect(answer.headers.get("x-dns-prefetch-control")).toBe("off");
    expect(answer.headers.get("referrer-policy")).toBe("same-origin");
  },
);
