import { readJson } from "@miranda/contract/json.ts";
import { createHmac, timingSafeEqual } from "node:crypto";

import { callApi as limits } from "../../limits.ts";
import type { Cipher } from "../../platform/cipher.ts";
import { hashToken } from "../../platform/crypto.ts";
import type { Db } from "../../platform/database/database.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import { createCallRate } from "../../platform/limits/call-rates.ts";
import type { Given } from "../call-inputs/call-inputs-service.ts";
import { callApiQueries } from "./call-api-queries.ts";
import type { CallApi } from "./call-api-service.ts";

/** What another program sends to the address of a webhook. */
export interface HookCall {
  body: Buffer;
  signature: string | undefined;
  key: string | undefined;
}

interface Dependencies {
  db: Db;
  cipher: Pick<Cipher, "decrypt">;
  api: Pick<CallApi, "forUse" | "make">;
}

export type Hooks = ReturnType<typeof createHooks>;

/** The addresses at which other programs call a deployment. Whoever knows the address may call. */
export function createHooks({ db, cipher, api }: Dependencies) {
  const queries = callApiQueries(db);
  const rate = createCallRate(limits.callsPerHook);

  return {
    async call(secret: string, { body, signature, key }: HookCall): Promise<{ id: string }> {
      const hook = await queries.findHook(hashToken(secret));
      if (!hook) throw new AppError("not_found");
      const wait = rate.take(hook.id);
      if (wait > 0) throw new AppError("too_many_calls", `That is too many calls. Try again in ${wait} s.`, wait);
      if (hook.hook_secret && !isSigned(body, cipher.decrypt(hook.hook_secret), signature))
        throw new AppError("hook_unsigned");
      // The hook acts for the owner of the deployment, but its calls belong to no caller.
      const used = await api.forUse(
        { accountId: hook.owner_id, isAdmin: false, onlyProject: null },
        hook.id,
        "production",
      );
      const nobody = { accountId: null, isAdmin: false, onlyProject: null };
      const { id } = await api.make(nobody, used, givenIn(body, hook.hook_field), { via: "webhook", key });
      return { id };
    },
  };
}

/** The whole body for one field, or JSON by field name. */
function givenIn(body: Buffer, field: string | null): Given {
  const text = body.toString();
  if (field !== null) return { values: { [field]: text }, source: "form" };
  const values = text.trim() === "" ? {} : readJson(text);
  if (values === undefined) throw new AppError("invalid_body", "The body is not valid JSON.");
  return { values, source: "json" };
}

function isSigned(body: Buffer, secret: string, given: string | undefined): boolean {
  const hex = /^sha256=([0-9a-f]{64})$/i.exec(given?.trim() ?? "")?.[1];
  if (hex === undefined) return false;
  return timingSafeEqual(Buffer.from(hex, "hex"), createHmac("sha256", secret).update(body).digest());
}
