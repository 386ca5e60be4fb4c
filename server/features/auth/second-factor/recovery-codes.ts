import { secondFactor } from "@miranda/contract/limits.ts";
import { randomBytes } from "node:crypto";

import { hashToken } from "../../../platform/crypto.ts";
import { base32Of } from "./totp.ts";

const codeBytes = 10;

/** 80 random bits each, in groups of four letters, for somebody who has lost their phone and their passkeys. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: secondFactor.recoveryCodes }, () =>
    (base32Of(randomBytes(codeBytes)).toLowerCase().match(/.{4}/g) ?? []).join("-"),
  );
}

/** However it is typed: in capitals, with spaces, without dashes. */
export function hashRecoveryCode(accountId: string, code: string): Buffer {
  return hashToken(`${accountId}:${code.toLowerCase().replaceAll(/[^a-z2-7]/g, "")}`);
}
