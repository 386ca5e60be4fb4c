import { secondFactor } from "@miranda/contract/limits.ts";
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

// Codes that change every 30 seconds (RFC 6238), as authenticator apps make them: HMAC-SHA-1, six digits.

const stepSeconds = 30;
const secretBytes = 20;
/** A clock may be wrong by one step, in either direction. */
const stepsOff = 1;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** A new key as people type it. */
export function newKey(): string {
  return base32Of(randomBytes(secretBytes));
}

export function base32Of(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? []).map((group) => alphabet[Number.parseInt(group.padEnd(5, "0"), 2)]).join("");
}

function bytesOf(key: string): Buffer {
  const bits = Array.from(key, (letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

export function stepAt(time: number): number {
  return Math.floor(time / 1000 / stepSeconds);
}

export function codeOf(key: string, step: number, digits: number = secondFactor.codeDigits): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", bytesOf(key)).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0x0f;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/** The step that a code belongs to. Undefined: the code is wrong, or from a clock that is wrong by more than a step. */
export function stepOfCode(key: string, code: string, time: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const now = stepAt(time);
  let found: number | undefined;
  // Every step is compared, so that the time says nothing about the code.
  for (let step = now - stepsOff; step <= now + stepsOff; step++)
    if (timingSafeEqual(Buffer.from(codeOf(key, step)), Buffer.from(code))) found = step;
  return found;
}

/** What the QR code says to the app. */
export function appAddress(key: string, username: string, place: string): string {
  const issuer = `Miranda (${place})`;
  const query = new URLSearchParams({ secret: key, issuer, algorithm: "SHA1", digits: "6", period: "30" });
  // Some apps read + as a plus sign.
  return `otpauth://totp/${encodeURIComponent(`${issuer}:${username}`)}?${query.toString().replaceAll("+", "%20")}`;
}
