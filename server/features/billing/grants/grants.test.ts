import type { Grant } from "@miranda/contract/schemas/billing/grants.ts";
import type { LedgerPage } from "@miranda/contract/schemas/billing/spending.ts";
import { sql } from "kysely";
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

const correct = (form: object, by = admin) =>
  by.post(`${path}/corrections`, { key: crypto.randomUUID(), reason: "Wrong invoice", ...form });

it("takes a grant back with an entry of its own, once for each key and never more than was granted", async () => {
  const person = await server.signUp();
  const account = person.account.username;
  await grant(admin, { key: "wrong-1", account, amount: "50" });
  const part = { key: "fix-1", grant: "wrong-1", amount: "20.5" };
  const words = { amount: "20.500000000", account, balance: "129.500000000", reason: "Wrong invoice" };
  expect((await correct(part)).json()).toMatchObject({ ...words, repeated: false });
  expect((await correct(part)).json()).toMatchObject({ ...words, repeated: true });
  expect(await correct({ ...part, amount: "1" })).toMatchObject({ status: 409 });
  expect((await correct({ grant: "wrong-1", amount: "29.500000001" })).text).toBe(
    "That is more than what is left of the grant. Nothing was taken back.",
  );
  const rest = await Promise.all([admin, other, admin].map((one) => correct({ grant: "wrong-1" }, one)));
  expect(rest.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
  expect(await creditsOf(person)).toBe("100.000000000");
  const { entries } = (await person.get("/api/v3/billing/ledger?kind=correction")).json<LedgerPage>();
  expect(entries.map(({ amount, note }) => [amount, note])).toEqual([
    ["-29.500000000", "Wrong invoice"],
    ["-20.500000000", "Wrong invoice"],
  ]);
  const grants = await admin.get(`/api/v3/admin/people/${person.account.id}/grants`);
  expect(grants.json()).toMatchObject([{ key: "wrong-1", amount: "50.000000000", left: "0.000000000", by: "admin" }]);
  expect((await person.get(`/api/v3/admin/people/${person.account.id}/grants`)).status).toBe(403);
});

it("takes credits back that were spent, and leaves the account below zero", async () => {
  const person = await server.signUp();
  await grant(admin, { key: "spent-1", account: person.account.username, amount: "10" });
  await sql`with paid as (insert into ledger (account_id, kind, amount, source) values (${person.account.id}, 'usage', -105, 'session')
    returning account_id) update accounts set credits = credits - 105 from paid where id = paid.account_id`.execute(
    server.db,
  );
  expect((await correct({ grant: "spent-1" })).json()).toMatchObject({ balance: "-5.000000000" });
  expect(await creditsOf(person)).toBe("-5.000000000");
});

it("takes from a project what it still has, and gives nobody back what was taken", async () => {
  const person = await server.signUp();
  const { id } = (await person.post("/api/v3/projects/", { name: "Purse" })).json<{ id: string }>();
  await grant(admin, { key: "purse-1", project_id: id, amount: "10" });
  await person.post(`/api/v3/projects/${id}/purse/fill`, { amount: "4" });
  expect((await correct({ grant: "purse-1", amount: "9" })).json()).toMatchObject({ balance: "5.000000000" });
  expect(await booksOf(server.db, { purse: id })).toEqual(["5.000000000", "5.000000000"]);
  expect((await person.post(`/api/v3/projects/${id}/purse/close`)).status).toBe(200);
  expect(await creditsOf(person)).toBe("100.000000000");
  expect((await correct({ grant: "purse-1" })).text).toBe(
    "The project has spent some of it. Take back less. Nothing was taken back.",
  );
  expect(await booksOf(server.db, { purse: id })).toEqual(["0.000000000", "0.000000000"]);
});

it("refuses invalid corrections, and takes nothing back", async () => {
  const person = await server.signUp();
  await grant(admin, { key: "kept-1", account: person.account.username, amount: "1" });
  for (const amount of ["-1", "0", "1e999", "NaN"])
    expect((await correct({ grant: "kept-1", amount })).status).toBe(400);
  expect((await correct({ grant: "kept-1", reason: " " })).text).toBe("A reason is required.");
  expect((await correct({ grant: "nothing" })).text).toBe("There is no grant with that key. Nothing was taken back.");
  // The key of the grant itself.
  expect((await correct({ key: "kept-1", grant: "kept-1" })).status).toBe(409);
  expect((await correct({ grant: "kept-1" }, person)).status).toBe(403);
  expect((await server.anonymous().post(`${path}/corrections`, {})).status).toBe(401);
  expect(await creditsOf(person)).toBe("101.000000000");
});
