import type { NewApp, PasskeyChallenge, RecoveryCodes } from "@miranda/contract/schemas/account/sign-in.ts";

import type { Db } from "../platform/database/database.ts";
import { codeOf, stepAt } from "../features/auth/second-factor/totp.ts";
import { createSoftwarePasskey } from "./software-passkey.ts";
import type { TestClient } from "./test-client.ts";
import { password } from "./test-server.ts";

/** The code of an app whose clock is wrong by so many seconds. */
export function codeAt(key: string, secondsOff = 0): string {
  return codeOf(key, stepAt(Date.now() + secondsOff * 1000));
}

/** Sets an authenticator app up, as a person does. The code of this moment is used then. */
export async function addApp(client: TestClient): Promise<{ key: string; codes: string[] }> {
  const begun = await client.post("/api/v3/auth/second_factor/app", { password });
  const { key } = begun.json<NewApp>();
  const confirmed = await client.post("/api/v3/auth/second_factor/app/confirm", { code: codeAt(key) });
  if (confirmed.status !== 200) throw new Error(confirmed.text);
  return { key, codes: confirmed.json<RecoveryCodes>().recovery_codes ?? [] };
}

/** Forgets which codes were used: a test cannot wait for the next one. */
export async function forgetUsedCodes(db: Db): Promise<void> {
  await db.updateTable("authenticator_apps").set({ last_step: 0 }).execute();
}

export async function challenge(client: TestClient, path: string, form = {}): Promise<PasskeyChallenge> {
  const asked = await client.post(`/api/v3/auth/${path}/challenge`, form);
  if (asked.status !== 200) throw new Error(asked.text);
  return asked.json();
}

export async function addPasskey(client: TestClient, url: string, name = "Laptop") {
  const passkey = createSoftwarePasskey(url);
  const body = passkey.register(await challenge(client, "passkeys", { password }), name);
  const added = await client.postJson("/api/v3/auth/passkeys", body);
  if (added.status !== 200) throw new Error(added.text);
  return { passkey, codes: added.json<RecoveryCodes>().recovery_codes };
}
