import type { AuthResponse } from "@miranda/contract/schemas/auth.ts";
import type { Identity } from "@miranda/contract/schemas/account/providers.ts";
import type { Settings } from "@miranda/contract/schemas/settings.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readConfig } from "../../../platform/settings/config.ts";
import { linkIn, type MailServer, startMailServer } from "../../../testing/mail-server.ts";
import { startProvider, type TestProvider } from "../../../testing/services/oidc-provider.ts";
import { addApp } from "../../../testing/second-factor.ts";
import type { TestClient } from "../../../testing/test-client.ts";
import { password, startTestServer, type TestAccount, type TestServer } from "../../../testing/test-server.ts";

const publicUrl = "http://miranda.test";
let acme: TestProvider;
let plain: TestProvider;
let post: MailServer;
let server: TestServer;
let admin: TestAccount;

beforeAll(async () => {
  acme = await startProvider(publicUrl, { adminGroups: ["leads"] });
  plain = await startProvider(publicUrl, { id: "plain", name: "Plain", registration: false, signOut: false });
  post = await startMailServer();
  const gone = { ...acme.settings, id: "gone", issuer: "http://127.0.0.1:9" };
  const providers = [acme.settings, plain.settings, gone];
  server = await startTestServer({ publicUrl, mail: post.settings, providers });
  admin = await server.signUp("admin");
});
afterAll(async () => {
  await server.close();
  await Promise.all([acme.close(), plain.close(), post.close()]);
});

const person = (name: string) => ({
  ...{ email: `${name}@acme.example`, email_verified: true, preferred_username: name },
  ...{ given_name: "Ida", family_name: "Rhodes" },
});

async function begin(client: TestClient, id = "acme", form: Record<string, string> = {}): Promise<string> {
  const answer = await client.post(`/api/v3/auth/providers/${id}`, form);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.json<{ address: string }>().address;
}

/** Returns where the browser ends up. */
async function signIn(client: TestClient, login: string, provider = acme, form: Record<string, string> = {}) {
  const address = await begin(client, provider.settings.id, form);
  return (await client.get(await provider.signIn(address, login))).headers.get("location");
}

const accountOf = async (client: TestClient) => (await client.get("/api/v3/auth/")).json<AuthResponse>().account;

describe("signing in with a provider", () => {
  it("makes an account without a password, and finds it again", async () => {
    acme.people.set("sub-ida", person("ida"));
    const ida = server.anonymous();
    expect(await signIn(ida, "sub-ida", acme, { next: "/designer/models" })).toBe("/designer/models");
    const account = await accountOf(ida);
    expect(account).toMatchObject({ username: "ida", email: "ida@acme.example", first_name: "Ida", is_admin: 0 });
    expect(account).toMatchObject({ has_password: false, email_unconfirmed: false, has_exec_token: true });
    expect((await ida.get("/api/v3/auth/identities")).json()).toMatchObject([
      { provider: "acme", name: "Acme", email: "ida@acme.example" },
    ]);
    const again = server.anonymous();
    await signIn(again, "sub-ida");
    expect((await accountOf(again)).id).toBe(account.id);
    const events = await server.db.selectFrom("audit_log").selectAll().where("kind", "=", "sign_in.oidc").execute();
    expect(events).toMatchObject([{ details: { provider: "Acme" } }, { details: { provider: "Acme" } }]);
    expect((await ida.post("/api/v3/auth/access_tokens", { web_password: password })).status).toBe(403);
  });

  it("chooses another username when it is taken, and one account when two browsers come at once", async () => {
    acme.people.set("sub-two", { ...person("two"), preferred_username: "admin" });
    const both = [server.anonymous(), server.anonymous()];
    await Promise.all(both.map((client) => signIn(client, "sub-two")));
    const [first, second] = await Promise.all(both.map(accountOf));
    expect(first?.username).toMatch(/^admin\d+$/);
    expect(second?.id).toBe(first?.id);
  });

  it("makes members of a group administrators, and no longer when they left it; the last one stays", async () => {
    acme.people.set("sub-lead", { ...person("lead"), groups: ["staff", "leads"] });
    const lead = server.anonymous();
    await signIn(lead, "sub-lead");
    expect((await accountOf(lead)).is_admin).toBe(1);
    acme.people.set("sub-lead", { ...person("lead"), groups: ["staff"] });
    await signIn(lead, "sub-lead");
    expect((await accountOf(lead)).is_admin).toBe(0);

    const form = { purpose: "connect", password };
    acme.people.set("sub-admin", person("boss"));
    expect(await signIn(admin, "sub-admin", acme, form)).toBe("/account?connected=1");
    await signIn(admin, "sub-admin");
    expect((await accountOf(admin)).is_admin).toBe(1);
    const events = await server.db.selectFrom("audit_log").selectAll().where("kind", "like", "admin.admin_%").execute();
    expect(events.map(({ kind }) => kind)).toEqual(["admin.admin_add", "admin.admin_remove"]);
  });

  it("lets an invited person in while registration is closed, once and with the invited address alone", async () => {
    const close = (registration: string) =>
      server.db
        .updateTable("installation_settings")
        .set({ registration: registration as "closed" })
        .execute();
    const made = await admin.post("/api/v3/admin/invitations", { email: "guest@acme.example" });
    const invitation = made.json<{ path: string }>().path.replace("/invitation/", "");
    await close("closed");
    try {
      acme.people.set("sub-guest", person("guest"));
      acme.people.set("sub-liar", { ...person("guest"), email_verified: false });
      acme.people.set("sub-other", person("other"));
      const problem = async (login: string, form = { invitation }) =>
        new URL((await signIn(server.anonymous(), login, acme, form)) ?? "", publicUrl).searchParams.get("problem");
      expect(await problem("sub-guest", { invitation: "" })).toBe("registration_closed");
      expect(await problem("sub-liar")).toBe("provider_email_unverified");
      expect(await problem("sub-other")).toBe("invitation_other_address");
      const guest = server.anonymous();
      expect(await signIn(guest, "sub-guest", acme, { invitation, next: "/account" })).toBe("/account");
      expect((await accountOf(guest)).username).toBe("guest");
      expect(await problem("sub-other")).toBe("invitation_used");
      // Somebody with an account decides on the page of the invitation.
      expect(await signIn(server.anonymous(), "sub-guest", acme, { invitation })).toBe(`/invitation/${invitation}`);
      // A link that is for no address lets anybody in, also from a provider that verifies no addresses.
      const open = (await admin.post("/api/v3/admin/invitations", {})).json<{ path: string }>();
      acme.people.set("sub-open", { ...person("open"), email_verified: false });
      const form = { invitation: open.path.replace("/invitation/", "") };
      expect(await problem("sub-open", form)).toBeNull();
    } finally {
      await close("open");
    }
  });

  it("asks for the second factor of the account before it lets the browser in", async () => {
    const form = { purpose: "connect", password };
    const vera = await server.signUp("vera");
    acme.people.set("sub-vera", person("vera"));
    expect(await signIn(vera, "sub-vera", acme, form)).toBe("/account?connected=1");
    const { codes } = await addApp(vera);
    const browser = server.anonymous();
    const back = await browser.get(await acme.signIn(await begin(browser), "sub-vera"));
    // Browsers follow 302, and stay on an empty page with 202.
    expect([back.status, back.headers.get("location")]).toEqual([
      302,
      "/login?second_step=code%2Crecovery_code&next=%2Fdesigner",
    ]);
    expect((await browser.get("/api/v3/auth/")).status).toBe(401);
    expect((await browser.post("/api/v3/auth/second_step", { recovery_code: codes[0] ?? "" })).status).toBe(200);
    expect((await accountOf(browser)).username).toBe("vera");
  });

  it("signs out of the provider too, and returns to the sign-in page", async () => {
    acme.people.set("sub-out", person("out"));
    const out = server.anonymous();
    await signIn(out, "sub-out");
    const { address } = (await out.delete("/api/v3/auth")).json<{ address: string }>();
    const url = new URL(address);
    expect(url.origin).toBe(acme.settings.issuer);
    expect(url.searchParams.get("post_logout_redirect_uri")).toBe(`${publicUrl}/login`);
    expect(url.searchParams.get("id_token_hint")).toMatch(/^ey/);
    expect(out.cookies.size).toBeLessThan(2);
    const local = await server.signUp("local");
    expect((await local.delete("/api/v3/auth")).json()).toEqual({});
  });

  it("says in words when the provider is away, and the server has started without it", async () => {
    const answer = await server.anonymous().post("/api/v3/auth/providers/gone");
    expect([answer.status, answer.text]).toEqual([
      503,
      "The provider does not answer at the moment. Try again, or sign in another way.",
    ]);
    const { sign_in } = (await server.anonymous().get("/api/v3/settings")).json<Settings>();
    expect(sign_in.providers.map(({ id }) => id)).toEqual(["acme", "plain", "gone"]);
  });
});

describe("connecting an account", () => {
  it("needs a signed-in browser; then both ways lead in, until it is disconnected", async () => {
    const dora = await server.signUp("dora");
    plain.people.set("sub-dora", person("dora"));
    expect(await signIn(server.anonymous(), "sub-dora", plain)).toBe(
      "/login?problem=provider_no_registration&provider=plain",
    );
    const stranger = await server.anonymous().post("/api/v3/auth/providers/plain", { purpose: "connect" });
    expect(stranger.status).toBe(401);
    for (const guess of ["", "not my password"]) {
      const refused = await dora.post("/api/v3/auth/providers/plain", { purpose: "connect", password: guess });
      expect(refused.status).toBe(403);
    }
    expect(await signIn(dora, "sub-dora", plain, { purpose: "connect", password })).toBe("/account?connected=1");
    const elsewhere = server.anonymous();
    await signIn(elsewhere, "sub-dora", plain);
    expect((await accountOf(elsewhere)).username).toBe("dora");
    expect((await dora.get("/api/v3/auth/identities")).json<Identity[]>()).toHaveLength(1);

    const other = await server.signUp("other");
    const form = { purpose: "connect", password };
    expect(await signIn(other, "sub-dora", plain, form)).toBe("/account?problem=provider_of_another&provider=plain");
    plain.people.set("sub-dora2", person("dora2"));
    expect(await signIn(dora, "sub-dora2", plain, form)).toBe("/account?problem=provider_connected&provider=plain");

    expect((await dora.delete("/api/v3/auth/identities/plain")).status).toBe(200);
    expect((await dora.delete("/api/v3/auth/identities/plain")).status).toBe(404);
    expect(await signIn(server.anonymous(), "sub-dora", plain)).toContain("provider_no_registration");
  });

  it("can be undone only while another sign-in method is left; a password is set after signing in anew", async () => {
    acme.people.set("sub-eva", person("eva"));
    const eva = server.anonymous();
    await signIn(eva, "sub-eva");
    const refused = await eva.delete("/api/v3/auth/identities/acme");
    expect([refused.status, refused.text]).toEqual([
      409,
      "Without it you could not sign in any more. Set a password first.",
    ]);
    expect((await eva.get("/api/v3/auth/identities")).json<Identity[]>()).toHaveLength(1);

    acme.people.set("sub-nobody", person("nobody"));
    const form = { purpose: "password" };
    expect(await signIn(eva, "sub-nobody", acme, form)).toBe("/account?problem=provider_other_person&provider=acme");
    const path = await signIn(eva, "sub-eva", acme, form);
    expect(path).toMatch(/^\/password\/[\w-]{20,}$/);
  });
});

describe("registration by a provider", () => {
  it("never takes an existing account because of its e-mail", async () => {
    await server.signUp("victim");
    acme.people.set("sub-thief", { ...person("thief"), email: "VICTIM@example.org" });
    const thief = server.anonymous();
    expect(await signIn(thief, "sub-thief")).toBe("/login?problem=provider_email_taken&provider=acme");
    expect((await thief.get("/api/v3/auth/")).status).toBe(401);
    expect(await server.db.selectFrom("account_identities").where("subject", "=", "sub-thief").execute()).toEqual([]);
  });

  it("asks to confirm an address that the provider has not verified, and needs one", async () => {
    acme.people.set("sub-new", { ...person("newcomer"), email_verified: false });
    const newcomer = server.anonymous();
    await signIn(newcomer, "sub-new");
    expect((await accountOf(newcomer)).email_unconfirmed).toBe(true);
    const token = linkIn(await post.next("newcomer@acme.example")).replace("/confirm/", "");
    expect((await server.anonymous().post("/api/v3/auth/email/confirm", { token })).status).toBe(200);
    expect((await accountOf(newcomer)).email_unconfirmed).toBe(false);

    acme.people.set("sub-mute", { preferred_username: "mute" });
    expect(await signIn(server.anonymous(), "sub-mute")).toBe("/login?problem=provider_no_email&provider=acme");
  });
});

describe("MIRANDA_OIDC_PROVIDERS", () => {
  const one = { id: "acme", name: "Acme", issuer: "https://acme.example", client_id: "m", client_secret: "s" };
  const read = (list: unknown) =>
    readConfig({ PUBLIC_URL: "https://m.example", MIRANDA_OIDC_PROVIDERS: JSON.stringify(list) }).providers;

  it("is a list of providers with sound defaults", () => {
    expect(read([one])).toMatchObject([
      { scopes: ["openid", "profile", "email"], registration: true, adminGroups: [] },
    ]);
    expect(read([{ ...one, scopes: "openid groups", issuer: "http://127.0.0.1:3" }])).toMatchObject([
      { scopes: ["openid", "groups"] },
    ]);
  });

  it.each([
    ["http over a network", { ...one, issuer: "http://acme.example" }, "wrong at 0.issuer"],
    ["a misspelt setting", { ...one, admins: ["a"] }, "wrong at 0: it has names that do not exist: admins"],
    ["no openid", { ...one, scopes: "profile" }, "wrong at 0.scopes"],
    ["an id for a path", { ...one, id: "a/b" }, "wrong at 0.id"],
  ])("refuses %s", (_what, provider, words) => {
    expect(() => read([provider])).toThrow(words);
  });

  it("never prints a secret when it cannot be read", () => {
    const broken = `[{"client_secret": "hush hush"`;
    const read = () => readConfig({ PUBLIC_URL: "https://m.example", MIRANDA_OIDC_PROVIDERS: broken });
    expect(read).toThrow("MIRANDA_OIDC_PROVIDERS is not valid JSON.");
    expect(() => readConfig({ MIRANDA_OIDC_PROVIDERS: "[]" })).toThrow("needs PUBLIC_URL");
    expect(() => readConfig({ PUBLIC_URL: "https://m.example", MIRANDA_OIDC_PROVIDERS: "/no/such" })).toThrow(
      "neither a JSON list nor a file",
    );
  });
});
