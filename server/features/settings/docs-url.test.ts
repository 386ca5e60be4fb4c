import { expect, it } from "vitest";

import { readConfig } from "../../platform/settings/config.ts";
import { startTestServer } from "../../testing/test-server.ts";

it("tells browsers where the documentation is", async () => {
  const server = await startTestServer({ docsUrl: "https://docs.example.org/miranda" });
  const person = await server.signUp("reader");
  expect((await person.get("/api/v3/settings")).json()).toMatchObject({ docs_url: "https://docs.example.org/miranda" });
  await server.close();
});

it.each(["javascript:alert(1)", "docs", "ftp://docs.example.org"])("refuses MIRANDA_DOCS_URL=%s", (address) => {
  expect(() => readConfig({ MIRANDA_DOCS_URL: address })).toThrow("The setting MIRANDA_DOCS_URL is wrong");
  expect(readConfig({ MIRANDA_DOCS_URL: "" }).docsUrl).toBeUndefined();
});
