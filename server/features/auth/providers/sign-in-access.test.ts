import { afterAll, beforeAll, expect, it } from "vitest";

import { type Cast, signUpCast, readCells, roles } from "../../../testing/access.ts";
import { type MailServer, startMailServer } from "../../../testing/mail-server.ts";
import { startProvider, type TestProvider } from "../../../testing/services/oidc-provider.ts";
import type { Answer, TestClient } from "../../../testing/test-client.ts";
import { password, startTestServer, type TestServer } from "../../../testing/test-server.ts";

// Every cell of docs/spec/access-sign-in.tsv.

const publicUrl = "http://miranda.test";
const cells = readCells("sign-in", roles);

let acme: TestProvider;
let post: MailServer;
let server: TestServer;
let cast: Cast;
beforeAll(async () => {
  acme = await startProvider(publicUrl);
  post = await startMailServer();
  server = await startTestServer({ publicUrl, mail: post.settings, providers: [acme.settings] });
  cast = await signUpCast(server);
});
afterAll(async () => {
  await server.close();
  await Promise.all([acme.close(), post.close()]);
});

const provider = "/api/v3/auth/providers/acme";
const attempts: Record<string, (client: TestClient) => Promise<Answer>[]> = {
  "providers: begin a sign-in": (client) => [client.post(provider)],
  "providers: begin to connect, to set a password": (client) => [
    client.post(provider, { purpose: "connect", password }),
    client.post(provider, { purpose: "password" }),
  ],
  "providers: come back without a sign-in": (client) => [client.get(`${provider}/callback?code=x&state=y`)],
  "own identities: list": (client) => [client.get("/api/v3/auth/identities")],
  "own identities: disconnect an unknown one": (client) => [client.delete("/api/v3/auth/identities/acme")],
  "e-mail: send the confirmation again": (client) => [client.post("/api/v3/auth/email/send")],
  "e-mail: confirm with a wrong link": (client) => [client.post("/api/v3/auth/email/confirm", { token: "wrong" })],
  "password: ask for a mail": (client) => [
    client.post("/api/v3/auth/password/forgot", { username: `x${Math.random()}` }),
  ],
};

it.each(cells)("%s as %s: %i", async (what, role, status) => {
  const answers = (await Promise.all(attempts[what]?.(cast[role]) ?? [])).map((answer) => answer.status);
  expect(new Set(answers)).toEqual(new Set([status]));
});

it("refuses access tokens where a signed-in browser is needed", async () => {
  const { owner } = cast;
  const made = await owner.post("/api/v3/auth/access_tokens", { web_password: password });
  const program = server.anonymous();
  program.headers = { authorization: `Bearer ${made.json<{ token: string }>().token}` };
  expect((await program.post(provider, { purpose: "connect" })).status).toBe(401);
  expect((await program.get("/api/v3/auth/identities")).status).toBe(403);
  expect((await program.delete("/api/v3/auth/identities/acme")).status).toBe(403);
  expect((await program.post("/api/v3/auth/email/send")).status).toBe(403);
});
