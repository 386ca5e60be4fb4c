import type { Grant } from "@miranda/contract/schemas/billing/grants.ts";
import type { LedgerPage } from "@miranda/contract/schemas/billing/spending.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

import { booksOf } from "../../../testing/billing.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../../testing/test-server.ts";
import { giveToken } from "../../../testing/workbench.ts";

let server: TestServer;
let admin: TestAccount;
let other: TestAccount;
beforeAll(async () => {
  server = await startTestServer();
  admin = await server.signUp("admin");
  other = await server.signUp("secondadmin");
  await server.db.updateTable("accounts").set({ is_admin: true }).where("id", "=", other.account.id).execute();
});
afterAll(() => server.close());

const path = "/api/v3/admin/grants";
const grant = (person: TestAccount, form: object) => person.post(path, { note: "Invoice 7", ...form });
const creditsOf = async (person: TestAccount): Promise<string> => {
  const [credits, booked] = await booksOf(server.db, { account: person.account.id });
  expect(credits).toBe(booked);
  return credits;
};

it("grants credits once for each key with an administrator's token, and records who granted them and why", async () => {
  const person = await server.signUp();
  const { username, email } = person.account;
  const client = server.anonymous();
  client.headers = { authorization: `Bearer ${await giveToken(admin)}` };
  const body = { key: "pay-1", account: username, amount: "12.5", note: "Invoice 7" };
  const first = await client.post(path, body);
  expect(first.json<Grant>()).toMatchObject({
    ...{ key: "pay-1", amount: "12.500000000", account: username, project_id: null, balance: "112.500000000" },
    repeated: false,
  });
  const again = await client.post(path, { ...body, account: email, amount: 12.5 });
  expect(again.json<Grant>()).toMatchObject({ repeated: true, balance: "112.500000000" });
  const [entry] = (await person.get("/api/v3/billing/ledger?kind=grant")).json<LedgerPage>().entries;
  expect(entry).toMatchObject({ kind: "grant", amount: "12.500000000", note: "Invoice 7", person: "admin" });
  expect(await creditsOf(person)).toBe("112.500000000");
  const events = server.db.selectFrom("audit_log").select(["actor_name", "subject_name", "details"]);
  expect(await events.where("kind", "=", "admin.grant").execute()).toEqual([
    {
      actor_name: "admin",
      subject_name: username,
      details: { amount: "12.500000000", note: "Invoice 7", with_token: "Execution token" },
    },
  ]);
});

it("refuses the same key with another amount or for somebody else", async () => {
  const [person, friend] = [await server.signUp(), await server.signUp()];
  const account = person.account.username;
  await grant(admin, { key: "pay-2", account, amount: "1" });
  const words = "This key was used for another grant. Nothing was granted.";
  expect(await grant(admin, { key: "pay-2", account, amount: "2" })).toMatchObject({ status: 409, text: words });
  const elsewhere = await grant(other, { key: "pay-2", account: friend.account.username, amount: "1" });
  expect(elsewhere).toMatchObject({ status: 409, text: words });
  expect([await creditsOf(person), await creditsOf(friend)]).toEqual(["101.000000000", "100.000000000"]);
});

it("grants once when two administrators send one key at once, and twice when they send two keys", async () => {
  const person = await server.signUp();
  const account = person.account.username;
  const same = await Promise.all(
    [admin, other, admin, other].map((one) => grant(one, { key: "pay-3", account, amount: "5" })),
  );
  expect(same.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(same.filter((one) => !one.json<Grant>().repeated)).toHaveLength(1);
  await Promise.all([admin, other].map((one, at) => grant(one, { key: `pay-4-${at}`, account, amount: "5" })));
  expect(await creditsOf(person)).toBe("115.000000000");
});

it("refuses invalid grants, and grants nothing", async () => {
  const person = await server.signUp();
  const account = person.account.username;
  const refused = async (form: object, by = admin) => {
    const { status, text } = await grant(by, { key: crypto.randomUUID(), account, amount: "1", ...form });
    return [status, text];
  };
  const words = "The amount must be a number above 0, at most 1000000, with at most 9 decimals.";
  for (const amount of ["-5", "0", "-0", "NaN", "Infinity", "1e999", "1000001", "0.0000000001", "", "ten", null])
    expect(await refused({ amount })).toEqual([400, words]);
  expect(await refused({ amount: Number.MAX_VALUE })).toEqual([400, words]);
  expect(await refused({ account: "nobody" })).toEqual([
    404,
    "There is no such account or project. Nothing was granted.",
  ]);
  expect(await refused({ account: "" })).toEqual([400, "Name an account or a project."]);
  const projectId = crypto.randomUUID();
  expect(await refused({ project_id: projectId })).toEqual([400, "Name an account or a project."]);
  expect((await refused({ account: "", project_id: projectId }))[0]).toBe(404);
  expect(await refused({ note: " " })).toEqual([400, "A note is required."]);
  expect(await refused({ key: "" })).toEqual([400, "key is required."]);
  expect((await refused({ key: "k".repeat(201) }))[0]).toBe(400);
  expect(await refused({}, person)).toEqual([403, "Only an administrator may do this."]);
  expect((await server.anonymous().post(path, { key: "x", account, amount: "1", note: "x" })).status).toBe(401);
  expect(await creditsOf(person)).toBe("100.000000000");
  await server.db.updateTable("accounts").set({ credits: 899_999_999 }).where("id", "=", person.account.id).execute();
  expect(await refused({ amount: "2" })).toEqual([409, "The balance would become too large. Nothing was granted."]);
});
