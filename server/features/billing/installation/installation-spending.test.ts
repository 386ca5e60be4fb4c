import type { InstallationSpending } from "@miranda/contract/schemas/billing/installation-spending.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

import { newId } from "../../../platform/crypto.ts";
import { bookUsage } from "../../../testing/billing.ts";
import { startTestServer, type TestAccount, type TestServer } from "../../../testing/test-server.ts";

let server: TestServer;
let admin: TestAccount;
let ada: TestAccount;
let bob: TestAccount;
const iris = newId();

beforeAll(async () => {
  server = await startTestServer();
  // The first account of an installation is its administrator.
  admin = await server.signUp("admin");
  ada = await server.signUp("ada");
  bob = await server.signUp("bob");
  const [a, b] = [{ accountId: ada.account.id }, { accountId: bob.account.id }];
  const of = { projectId: iris, projectName: "=Iris" };
  await bookUsage(server.db, { ...a, ...of, at: "2026-01-31T23:30:00Z", amount: "1.5" });
  await bookUsage(server.db, { ...a, ...of, at: "2026-02-10T10:00:00Z", amount: "0.000000001" });
  await bookUsage(server.db, { ...b, ...of, at: "2026-02-11T10:00:00Z", amount: "2", isPurse: true });
  await bookUsage(server.db, { ...b, personId: null, source: "call", at: "2026-02-12T10:00:00Z", amount: "4" });
  await bookUsage(server.db, { ...b, at: "2026-03-01T00:00:00Z", amount: "100" });
});
afterAll(() => server.close());

const path = "/api/v3/admin/spending";
const range = "from=2026-01-01&to=2026-02-28";
async function rows(query: string): Promise<[string, string][]> {
  const answer = await admin.get(`${path}?${range}&${query}`);
  expect(answer.status).toBe(200);
  return answer.json<InstallationSpending>().rows.map(({ name, amount }) => [name, amount]);
}

it("adds up what everybody spent, by person, project, app and month, to the last digit", async () => {
  const all = (await admin.get(`${path}?${range}`)).json<InstallationSpending>();
  expect(all).toMatchObject({ from: "2026-01-01", to: "2026-02-28", total: "7.500000001", next: null });
  expect(await rows("by=person")).toEqual([
    ["", "4.000000000"],
    ["bob", "2.000000000"],
    ["ada", "1.500000001"],
  ]);
  expect(await rows("by=project")).toEqual([
    ["", "4.000000000"],
    ["=Iris", "3.500000001"],
  ]);
  expect(await rows("by=app")).toEqual([["", "7.500000001"]]);
  expect(await rows("by=month")).toEqual([
    ["2026-01", "1.500000000"],
    ["2026-02", "6.000000001"],
  ]);
  // In Berlin, the last half hour of January is in February.
  expect(await rows("by=month&zone=Europe/Berlin")).toEqual([["2026-02", "7.500000001"]]);
});

it("comes in pages", async () => {
  const first = (await admin.get(`${path}?${range}&limit=2`)).json<InstallationSpending>();
  expect([first.rows.length, first.next]).toEqual([2, 2]);
  const second = (await admin.get(`${path}?${range}&limit=2&after=2`)).json<InstallationSpending>();
  expect([second.rows.map(({ name }) => name), second.next]).toEqual([["ada"], null]);
});

it("is a CSV file for each month, person, project and app that no spreadsheet runs", async () => {
  const file = await admin.get(`${path}.csv?${range}`);
  expect(file.headers.get("content-disposition")).toContain("spending.csv");
  expect(file.text.trimEnd().split("\r\n")).toEqual([
    "month,person,project,app,source,paid by,amount,currency",
    "2026-01,ada,'=Iris,,session,ada,1.500000000,$",
    "2026-02,,,,call,bob,4.000000000,$",
    "2026-02,bob,'=Iris,,session,project credits,2.000000000,$",
    "2026-02,ada,'=Iris,,session,ada,0.000000001,$",
  ]);
});

it("is for administrators, and refuses what it cannot add up", async () => {
  for (const one of [path, `${path}.csv`]) {
    expect((await ada.get(one)).status).toBe(403);
    expect((await server.anonymous().get(one)).status).toBe(401);
  }
  for (const [query, words] of [
    ["from=yesterday", "from must be a day such as 2026-11-17."],
    ["by=colour", "by must be person, project, app or month."],
    ["zone=Nowhere", /zone/],
    ["from=2000-01-01&to=2026-01-01", "Ask for at most ten years."],
    ["limit=0", /^limit must be/],
  ] as const) {
    const answer = await admin.get(`${path}?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.text).toMatch(words);
  }
  expect((await admin.get(`${path}?from=2026-02-02&to=2026-02-01`)).json()).toMatchObject({ rows: [] });
});
