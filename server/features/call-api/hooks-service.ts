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

type Hook = NonNullable<Awaited<ReturnType<ReturnType<typeof callApiQueries>["findHook"]>>>;
export type Hooks = ReturnType<typeof createHooks>;

/** The addresses at which other programs call a deployment. Whoever knows the address may call. */
export function createHooks({ db, cipher, api }: Dependencies) {
  const queries = callApiQueries(db);
  const rate = createCallRate(limits.callsPerHook);

  /** The signature, when it is right and recent. */
  function checkSignature(hookSecret: Buffer, { body, signature, time }: HookCall): Buffer {
    const signed = Buffer.concat([Buffer.from(`${time ?? ""}.`), body]);
    const right = signatureOf(signed, cipher.decrypt(hookSecret), signature);
    if (!right) throw new AppError("hook_unsigned");
    if (!isRecent(time)) throw new AppError("hook_too_old");
    return right;
  }

  /** The hook acts for the owner of the deployment, but its calls belong to no caller. */
  async function make(
    { id: deploymentId, owner_id, hook_field }: Hook,
    { body, key }: HookCall,
  ): Promise<{ id: string }> {
    const owner = { accountId: owner_id, isAdmin: false, onlyProject: null };
    const used = await api.forUse(owner, deploymentId, "production");
    const nobody = { accountId: null, isAdmin: false, onlyProject: null };
    const { id } = await api.make(nobody, used, givenIn(body, hook_field), { via: "webhook", key });
    return { id };
  }

  return {
    async call(secret: string, given: HookCall): Promise<{ id: string }> {
      const hook = await queries.findHook(hashToken(secret));
      if (!hook) throw new AppError("not_found");
      const wait = rate.take(hook.id);
      if (wait > 0) throw new AppError("too_many_calls", `That is too many calls. Try again in ${wait} s.`, wait);
      const signature = hook.hook_secret ? checkSignature(hook.hook_secret, given) : undefined;
      if (signature && !(await queries.takeSignature(hook.id, signature, limits.hookSeconds)))
        throw new AppError("hook_repeated");
      try {
        return await make(hook, given);
      } catch (error) {
        // Who sends it again when there is room must not be told that it came already.
        if (signature) await queries.returnSignature(hook.id, signature);
        throw error;
      }
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
