import type { AccessToken } from "@miranda/contract/schemas/auth.ts";
import type { SecretList } from "@miranda/contract/schemas/secrets.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

import { password, startTestServer, type TestAccount, type TestServer } from "../../testing/test-server.ts";

let server: TestServer;
let person: TestAccount;
beforeAll(async () => {
  server = await startTestServer();
  person = await server.signUp();
});
afterAll(() => server.close());

it("lists secrets by key in pages, also after one that was deleted meanwhile", async () => {
  for (const key of ["alpha", "bravo", "charlie"]) await person.post("/api/v3/secrets", { key, value: "x" });
  const keys = async (query: string) =>
    (await person.get(`/api/v3/secrets?${query}`)).json<SecretList>().map(({ key }) => key);
  expect(await keys("limit=2")).toEqual(["alpha", "bravo"]);
  await person.delete("/api/v3/secrets/bravo");
  expect(await keys("limit=2&after=bravo")).toEqual(["charlie"]);
  expect(await keys("after=charlie")).toEqual([]);
});

it("lists access tokens newest first in pages, also after one that was revoked meanwhile", async () => {
  for (const name of ["first", "second", "third"])
    await person.post("/api/v3/auth/access_tokens", { web_password: password, name });
  const list = async (query: string) => (await person.get(`/api/v3/auth/access_tokens?${query}`)).json<AccessToken[]>();
  const page = await list("limit=2");
  expect(page.map(({ name }) => name)).toEqual(["third", "second"]);
  const after = page.at(-1)?.id;
  await person.delete(`/api/v3/auth/access_tokens/${after}`);
  expect((await list(`limit=1&after=${after}`)).map(({ name }) => name)).toEqual(["first"]);
});

it.each([
  ["a page of a million secrets", "secrets?limit=1000000", "limit must be a whole number from 1 to 500."],
  ["a key that no secret can have", "secrets?after=9", /^Key has letters/],
  ["a page of a million tokens", "auth/access_tokens?limit=1000000", "limit must be a whole number from 1 to 500."],
  ["a token key that is no id", "auth/access_tokens?after=last", "That is not a valid id."],
])("refuses %s", async (_what, path, words) => {
  const answer = await person.get(`/api/v3/${path}`);
  expect(answer.status).toBe(400);
  expect(answer.text).toMatch(words);
});
