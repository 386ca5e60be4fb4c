import type { AuditPage } from "@miranda/contract/schemas/audit.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

import { type TestAccount, startTestServer, type TestServer } from "../../testing/test-server.ts";
import { script, Workbench } from "../../testing/workbench.ts";

let server: TestServer;
let admin: TestAccount;
beforeAll(async () => {
  server = await startTestServer();
  // The first account of an installation is its administrator.
  admin = await server.signUp("admin");
});
afterAll(() => server.close());

const sentences = async (query: string) =>
  (await admin.get(`/api/v3/admin/audit?${query}`)).json<AuditPage>().events.map(({ sentence }) => sentence);

it("says from whom to whom a project went, whoever did it", async () => {
  const [ada, bob] = [await server.signUp("ada"), await server.signUp("bob")];
  const { id } = (await ada.post("/api/v3/projects/", { name: "Iris" })).json<{ id: string }>();
  expect((await ada.post(`/api/v3/projects/${id}/transfer`, { user: "bob" })).status).toBe(200);
  expect((await bob.post(`/api/v3/projects/${id}/transfer/accept`)).status).toBe(200);
  expect((await admin.post(`/api/v3/projects/${id}/transfer`, { user: "ada" })).status).toBe(200);
  expect(await sentences(`project_id=${id}&kind=project`)).toEqual([
    "admin handed Iris over from bob to ada",
    "bob took Iris over from ada",
    "ada offered Iris to bob",
    "ada created the project Iris",
  ]);
});

it("records workflows that come and go, also clones", async () => {
  const eve = await server.signUp("eve");
  const { id } = (await eve.post("/api/v3/projects/", { name: "Tides" })).json<{ id: string }>();
  const graph = (await eve.post("/api/v3/graphs/", { project_id: id, name: "Ebb", description: "" })).json<{
    id: string;
  }>().id;
  expect((await eve.post(`/api/v3/graphs/${graph}/clone`, { to_project: id })).status).toBe(200);
  expect((await eve.delete(`/api/v3/graphs/${graph}`)).status).toBe(200);
  expect((await eve.delete(`/api/v3/graphs/${graph}`)).status).toBe(404);
  expect(await sentences(`project_id=${id}&kind=workflow`)).toEqual([
    "eve deleted the workflow Ebb in Tides",
    "eve created the workflow Ebb (copy) in Tides",
    "eve created the workflow Ebb in Tides",
  ]);
});

it("records sessions, runs, and each secret that code reads, once for a session", async () => {
  const bench = await Workbench.open(server);
  for (const key of ["SHARED", "UNREAD"])
    await bench.owner.post("/api/v3/secrets", { key, value: "hunter2-value", project_id: bench.projectId });
  await bench.owner.post("/api/v3/secrets", { key: "OWN", value: "hunter2-value" });
  await bench.node(
    script(
      "from miranda import secret",
      "for n in range(5): secret('SHARED'), secret('OWN')",
      "try: secret('NONE')",
      "except Exception: pass",
    ),
  );
  await bench.start();
  await bench.run();
  await bench.run();
  const name = bench.owner.account.username;
  const told = await sentences(`person=${name}`);
  const of = (words: string) => told.filter((sentence) => sentence.startsWith(`${name} ${words}`));
  expect(of("started a session of")).toHaveLength(1);
  expect(of("ran ").filter((sentence) => !sentence.includes("secret"))).toHaveLength(2);
  expect(of("ran code that read the secret").toSorted()).toEqual(
    ["OWN", "SHARED"].map((key) => `${name} ran code that read the secret ${key}`),
  );
  bench.close();
});
