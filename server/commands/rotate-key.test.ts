import { sql } from "kysely";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

import { openCipher } from "../platform/cipher.ts";
import { beginRotation } from "../platform/keys/rotate-key.ts";
import { sealedColumns } from "../platform/keys/sealed-values-queries.ts";
import { runCommand } from "../testing/operations/commands.ts";
import { startTestServer, type TestAccount, type TestServer } from "../testing/test-server.ts";

let server: TestServer;
let owner: TestAccount;
let project: string;
beforeAll(async () => {
  server = await startTestServer();
  owner = await server.signUp("owner");
  project = (await owner.post("/api/v3/projects/", { name: "Tides", description: "" })).json<{ id: string }>().id;
});
afterAll(() => server.close());

const save = async (key: string, value: string) =>
  expect((await owner.post("/api/v3/secrets", { key, value, project_id: project })).status).toBe(200);
const settings = () => ({ DATABASE_URL: server.databaseUrl, MIRANDA_DATA: server.dataFolder });
async function opened(): Promise<Record<string, string>> {
  const cipher = await openCipher(server.dataFolder, undefined);
  const rows = await server.db.selectFrom("secrets").select(["key", "value"]).orderBy("key").execute();
  return Object.fromEntries(rows.map(({ key, value }) => [key, cipher.decrypt(value)]));
}

it("seals everything again while the server runs, also after a rotation was cut", { timeout: 60_000 }, async () => {
  await save("FIRST", "low water");
  const before = await readFile(join(server.dataFolder, "secret-key"));
  // A rotation that was killed after it had made the new key.
  await beginRotation(server.dataFolder);
  const cut = await readFile(join(server.dataFolder, "secret-key"));
  await beginRotation(server.dataFolder);
  expect(await readFile(join(server.dataFolder, "secret-key"))).toEqual(cut);
  // The running server seals with the new key at once, and still opens what has the old one.
  await save("SECOND", "high water");
  expect(await opened()).toEqual({ FIRST: "low water", SECOND: "high water" });

  const rotated = await runCommand("rotate-key", settings());
  expect(rotated).toMatchObject({ code: 0, output: expect.stringContaining("1 values were sealed with the new key.") });
  const names = await readdir(server.dataFolder);
  expect(names).not.toContain("secret-key.old");
  const retired = names.find((name) => name.startsWith("secret-key.retired-"));
  expect(await readFile(join(server.dataFolder, retired ?? ""))).toEqual(before);
  expect(await opened()).toEqual({ FIRST: "low water", SECOND: "high water" });
  await save("THIRD", "slack water");
  expect(Object.keys(await opened())).toHaveLength(3);
});

it("leaves values alone that no key opens, and keeps the old key", { timeout: 60_000 }, async () => {
  const [known] = await server.db.selectFrom("secrets").select(["id", "value"]).execute();
  const damaged = Buffer.from("sealed with a key that nobody has any more");
  await server.db
    .updateTable("secrets")
    .set({ value: damaged })
    .where("id", "=", known?.id ?? "")
    .execute();
  const rotated = await runCommand("rotate-key", settings());
  expect(rotated).toMatchObject({ code: 1, output: expect.stringContaining("1 values cannot be opened") });
  expect(await readdir(server.dataFolder)).toContain("secret-key.old");
  const doctor = await runCommand("doctor", settings());
  expect(doctor.code).toBe(1);
  expect(doctor.output).toContain("PROBLEM  Secrets: 1 stored values do not open with this key");
  expect(doctor.output).toContain("warning  Secret key: a rotation was cut");
});

it("lists every bytea column as encrypted, hashed or not secret", async () => {
  const plain = [
    ...[
      "avatars.image",
      "comment_threads.anchor",
      "deployments.picture",
      "hook_signatures.signature",
      "job_output_files.content",
      "node_drafts.document",
    ],
    ...["node_files.content", "passkeys.public_key", "sign_in_tickets.password_fingerprint", "version_parts.content"],
  ];
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and data_type = 'bytea' and column_name !~ '(hash|sha256)$' order by 1`.execute(
    server.db,
  );
  const sealed = sealedColumns.map(({ table, column }) => `${table}.${column}`);
  // A column that is in neither list is not sealed again by `npm run rotate-key`.
  expect(rows.map(({ name }) => name)).toEqual([...plain, ...sealed].sort());
});
