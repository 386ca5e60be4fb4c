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
  /** When it was signed, in seconds since 1970. */
  time: string | undefined;
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
    async call(secret: string, { body, signature, time, key }: HookCall): Promise<{ id: string }> {
      const hook = await queries.findHook(hashToken(secret));
      if (!hook) throw new AppError("not_found");
      const wait = rate.take(hook.id);
      if (wait > 0) throw new AppError("too_many_calls", `That is too many calls. Try again in ${wait} s.`, wait);
      if (hook.hook_secret) {
        const signed = Buffer.concat([Buffer.from(`${time ?? ""}.`), body]);
        const given = signatureOf(signed, cipher.decrypt(hook.hook_secret), signature);
        if (!given) throw new AppError("hook_unsigned");
        if (!isRecent(time)) throw new AppError("hook_too_old");
        if (!(await queries.takeSignature(hook.id, given, limits.hookSeconds))) throw new AppError("hook_repeated");
      }
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

/** The signature, when it is right. */
function signatureOf(signed: Buffer, secret: string, given: string | undefined): Buffer | undefined {
  const hex = /^sha256=([0-9a-f]{64})$/i.exec(given?.trim() ?? "")?.[1];
  if (hex === undefined) return undefined;
  const right = createHmac("sha256", secret).update(signed).digest();
  return timingSafeEqual(Buffer.from(hex, "hex"), right) ? right : undefined;
}

/** Clocks differ: also a little in the future. */
function isRecent(time: string | undefined): boolean {
  return /^\d{1,12}$/.test(time ?? "") && Math.abs(Date.now() / 1_000 - Number(time)) <= limits.hookSeconds;
}
