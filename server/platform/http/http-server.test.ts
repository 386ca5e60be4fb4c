import { errorHeader } from "@miranda/contract/error-headers.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

import { startTestServer, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

it("S6-001 refuses every API call without a sign-in, except those for signing in and those with a secret in the address", async () => {
  const document = (await server.anonymous().get("/api/docs/json")).json<{
    paths: Record<string, Record<string, unknown>>;
  }>();
  // Everything that people call before they are signed in.
  const open = new Set([
    ...["GET /api/v3/auth", "POST /api/v3/auth", "DELETE /api/v3/auth", "POST /api/v3/auth/register"],
    ...["GET /api/v3/settings", "POST /api/v3/auth/password-link", "POST /api/v3/auth/password-link/use"],
    ...["POST /api/v3/auth/password/forgot", "POST /api/v3/auth/email/confirm"],
    ...["POST /api/v3/auth/providers/{id}", "GET /api/v3/auth/providers/{id}/callback"],
    "POST /api/v3/invitations/open",
    ...["POST /api/v3/auth/passkeys/sign_in/challenge", "POST /api/v3/auth/passkeys/sign_in"],
    ...["POST /api/v3/auth/second_step"],
    ...["POST /api/v3/auth/second_step/passkey/challenge", "POST /api/v3/auth/second_step/passkey"],
  ]);
  const secret = new Set([
    "GET /api/v3/deployments/{id}/picture",
    "GET /api/v3/shared/{share}",
    "GET /api/v3/shared/{share}/files/{number}",
    "POST /api/v3/hooks/{secret}",
  ]);
  const filled = (path: string): string =>
    path.replaceAll("{number}", "1").replaceAll(/\{\w+\}/g, "0190a000-0000-7000-8000-000000000000");
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(calls.length).toBeGreaterThan(8);
  for (const call of calls.filter((candidate) => !open.has(candidate))) {
    const [method = "", path = ""] = call.split(" ");
    const answer = await server.anonymous().send(method, filled(path));
    if (secret.has(call)) {
      expect([call, answer.status]).toEqual([call, 404]);
      continue;
    }
    expect([call, answer.status, answer.headers.get(errorHeader)]).toEqual([call, 401, "not_signed_in"]);
    const disguised = await server.anonymous().send(method, filled(path.replace("/api/v3", "/%61pi/v%33")));
    expect([call, disguised.status]).toEqual([call, 401]);
  }
});

it("refuses a form with a million fields at once, and answers other requests meanwhile", async () => {
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const flood = server.anonymous().send("POST", "/api/v3/auth", "a&".repeat(1_000_000), form);
  const began = performance.now();
  expect((await server.anonymous().get("/healthz")).status).toBe(200);
  expect([(await flood).status, (await flood).text]).toEqual([400, "A form can have at most 200 fields."]);
  expect(performance.now() - began).toBeLessThan(3_000);
});

it("reports that it is alive and ready", async () => {
  expect((await server.anonymous().get("/healthz")).status).toBe(200);
  expect((await server.anonymous().get("/readyz")).status).toBe(200);
});

it("serves an OpenAPI document and a page for it", async () => {
  const page = await server.anonymous().get("/api/docs");
  expect(page.status).toBe(200);
  expect(page.headers.get("content-type")).toContain("text/html");
  expect((await server.anonymous().get("/api/docs/json")).json<{ openapi: string }>().openapi).toMatch(/^3\./);
});

it("gives every answer a request id and a policy without inline scripts", async () => {
  const answer = await server.anonymous().get("/designer");
  expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  const policy = answer.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("frame-ancestors 'none'");
});

it("serves the page at every screen's address and nothing at others", async () => {
  for (const path of [
    "/",
    "/login?next=x",
    "/register",
    "/onboarding",
    "/designer",
    "/designer/projects/x",
    "/explorer/a/b",
    "/account/billing",
  ]) {
    const answer = await server.anonymous().get(path);
    expect([path, answer.status, answer.text.includes("<title>Miranda")]).toEqual([path, 200, true]);
  }
  for (const path of [
    "/elsewhere",
    "/designer/assets/missing.js",
    "/designer/missing.js",
    "/api/v4/x",
    "/designer/../../etc/passwd",
    "/designer/%2e%2e/%2e%2e/package.json",
  ]) {
    const answer = await server.anonymous().get(path);
    expect([path, answer.status]).toEqual([path, 404]);
  }
  expect((await server.anonymous().post("/designer")).status).toBe(404);
});

it("sends the page to a browser at an unknown address, which then asks to sign in", async () => {
  const open = (path: string) => server.anonymous().send("GET", path, undefined, { accept: "text/html,*/*" });
  const answer = await open("/nonsense/here");
  expect([answer.status, answer.text.includes("<title>Miranda")]).toEqual([200, true]);
  for (const path of ["/api/nonsense", "/ws/nonsense", "/nonsense.js", "/.git/config.txt"])
    expect([path, (await open(path)).status]).toEqual([path, 404]);
});

it("answers 401 to a known path without sign-in, and explains an unknown one", async () => {
  const client = await server.signUp();
  const answer = await client.get("/api/v3/nothing/here");
  expect([answer.status, answer.text]).toEqual([404, "Not found."]);
});

it("refuses a body over the limit and stays up", async () => {
  const answer = await server.anonymous().post("/api/v3/auth", { username: "a".repeat(3_000_000), password: "x" });
  expect([answer.status, answer.text]).toEqual([413, "That is too large."]);
  expect((await server.anonymous().get("/healthz")).status).toBe(200);
});
