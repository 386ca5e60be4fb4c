import { afterAll, beforeAll, expect, it } from "vitest";

import { sandboxProblem } from "../../../scripts/sandbox.ts";
import { readConfig } from "../../platform/settings/config.ts";
import { type TestAccount, startTestServer, type TestServer } from "../../testing/test-server.ts";

const address = "/api/v3/settings/warnings";
let server: TestServer;
let admin: TestAccount;

beforeAll(async () => {
  server = await startTestServer();
  // The first account of an installation is its administrator.
  admin = await server.signUp("admin");
});
afterAll(() => server.close());

it("warns an administrator that node code has the server's rights", async () => {
  const { warnings } = (await admin.get(address)).json<{ warnings: { code: string; message: string }[] }>();
  expect(warnings.map(({ code }) => code)).toEqual(["no_sandbox"]);
  expect(warnings[0]?.message).toContain("Node code runs with the server's own rights");
});

it("warns nobody else", async () => {
  const other = await server.signUp("other");
  const refused = await other.get(address);
  expect([refused.status, refused.text]).toEqual([403, "Only an administrator may do this."]);
  expect((await server.anonymous().get(address)).status).toBe(401);
});

it.skipIf(sandboxProblem() !== undefined)("warns of nothing when all is well", async () => {
  const safe = await startTestServer({ processors: readConfig({ MIRANDA_ENGINE: "local" }).processors });
  const first = await safe.signUp("first");
  expect((await first.get(address)).json()).toEqual({ warnings: [] });
  await safe.close();
});
