import type { AccessToken, AuthResponse } from "@miranda/contract/schemas/auth.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hashPassword } from "../../platform/crypto.ts";
import { password, startTestServer, type TestServer } from "../../testing/test-server.ts";
import { revokeTokens } from "../../testing/workbench.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  // The first account is the administrator, who may revoke everybody's tokens.
  await server.signUp("admin");
});
afterAll(() => server.close());

describe("access tokens", () => {
  it("S7-012 are created with the password, shown once, and work as a bearer token", async () => {
    const client = await server.signUp("tok");
    expect((await client.post("/api/v3/auth/access_tokens", { web_password: "not the password" })).text).toBe(
      "Wrong password.",
    );
    const { token } = (await client.post("/api/v3/auth/access_tokens", { web_password: password })).json<{
      token: string;
    }>();
    const program = server.anonymous();
    program.headers = { authorization: `Bearer ${token}` };
    expect((await program.get("/api/v3/auth/")).json<AuthResponse>().account).toMatchObject({
      username: "tok",
      has_exec_token: true,
    });
    const list = await client.get("/api/v3/auth/access_tokens");
    expect(list.text).not.toContain(token);
    expect(list.json<AccessToken[]>()).toMatchObject([
      { hint: token.slice(-4), automatic: false },
      { hint: "", automatic: true },
    ]);

    const more = await program.post("/api/v3/auth/access_tokens", { web_password: password });
    expect([more.status, more.text]).toEqual([403, "An access token cannot do this. Sign in with your password."]);
  });

  it("S6-004 expire after a week without use, or when revoked", async () => {
    const client = await server.signUp("idle");
    const { token } = (await client.post("/api/v3/auth/access_tokens", { web_password: password })).json<{
      token: string;
    }>();
    const program = server.anonymous();
    program.headers = { authorization: `Bearer ${token}` };
    const lastUsed = (days: number) =>
      server.db
        .updateTable("access_tokens")
        .set({ last_used_at: new Date(Date.now() - days * 86_400_000) })
        .where("account_id", "=", client.account.id)
        .execute();
    await lastUsed(6.9);
    expect((await program.get("/api/v3/auth/access_tokens")).status).toBe(200);
    await lastUsed(8);
    expect((await program.get("/api/v3/auth/access_tokens")).status).toBe(401);
    expect((await client.get("/api/v3/auth/")).json<AuthResponse>().account.has_exec_token).toBe(false);

    const second = (await client.post("/api/v3/auth/access_tokens", { web_password: password })).json<{
      token: string;
    }>().token;
    const [row] = (await client.get("/api/v3/auth/access_tokens")).json<AccessToken[]>();
    const stranger = await server.signUp("tokstranger");
    expect((await stranger.delete(`/api/v3/auth/access_tokens/${row?.id}`)).status).toBe(404);
    program.headers = { authorization: `Bearer ${second}` };
    expect((await program.get("/api/v3/auth/")).status).toBe(200);
    expect((await client.delete(`/api/v3/auth/access_tokens/${row?.id}`)).status).toBe(200);
    expect((await program.get("/api/v3/auth/")).status).toBe(401);
  });

  it("include an automatic one that nobody can send and that using a browser keeps alive", async () => {
    const client = await server.signUp("fresh");
    const account = async () => (await client.get("/api/v3/auth/")).json<AuthResponse>().account;
    expect(await account()).toMatchObject({ has_exec_token: true, exec_token_ended: null });
    expect((await client.get("/api/v3/auth/access_tokens")).json()).toMatchObject([
      { name: "Signed-in browsers", hint: "", automatic: true },
    ]);
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000);
    const away = async (days: number) => {
      const of = client.account.id;
      const [last_used_at, last_seen_at] = [ago(days), ago(days)];
      await server.db.updateTable("access_tokens").set({ last_used_at }).where("account_id", "=", of).execute();
      await server.db.updateTable("sessions").set({ last_seen_at }).where("account_id", "=", of).execute();
    };
    await away(6.9);
    expect((await account()).has_exec_token).toBe(true);
    const [kept] = (await client.get("/api/v3/auth/access_tokens")).json<AccessToken[]>();
    expect(new Date(kept?.last_used ?? 0).getTime()).toBeGreaterThan(ago(1).getTime());

    await away(8);
    expect(await account()).toMatchObject({ has_exec_token: false, exec_token_ended: "idle" });
    const again = server.anonymous();
    await again.post("/api/v3/auth", { username: "fresh", password });
    expect(await account()).toMatchObject({ has_exec_token: false, exec_token_ended: "idle" });
  });

  it("explain why there is none, and a new one restores the automatic one", async () => {
    const client = await server.signUp("revoker");
    const account = async () => (await client.get("/api/v3/auth/")).json<AuthResponse>().account;
    await revokeTokens(client);
    expect(await account()).toMatchObject({ has_exec_token: false, exec_token_ended: "revoked" });
    await client.post("/api/v3/auth/access_tokens", { web_password: password, name: "CI" });
    expect(await account()).toMatchObject({ has_exec_token: true, exec_token_ended: null });
    const tokens = (await client.get("/api/v3/auth/access_tokens")).json<AccessToken[]>();
    expect(tokens.map(({ name }) => name).toSorted()).toEqual(["CI", "Signed-in browsers"]);
    const made = tokens.find(({ automatic }) => !automatic);
    await client.delete(`/api/v3/auth/access_tokens/${made?.id}`);
    expect(await account()).toMatchObject({ has_exec_token: true, exec_token_ended: null });
  });

  it("are refused with the old password while it is being changed", async () => {
    const client = await server.signUp("slow");
    const late = server.anonymous();
    const password_hash = await hashPassword("another long one");
    const asked = await server.db.transaction().execute(async (trx) => {
      await trx.updateTable("accounts").set({ password_hash }).where("id", "=", client.account.id).execute();
      const answers = Promise.all([
        late.post("/api/v3/auth", { username: "slow", password }),
        client.post("/api/v3/auth/access_tokens", { web_password: password }),
        client.post("/api/v3/auth/password", { current_password: password, new_password: "a third long one" }),
      ]);
      await new Promise((resolve) => setTimeout(resolve, 400));
      return { answers };
    });
    expect((await asked.answers).map(({ status }) => status)).toEqual([401, 403, 403]);
    expect(late.cookies.size).toBe(0);
  });
});
