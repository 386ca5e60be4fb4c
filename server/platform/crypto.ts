import { argon2, createHash, randomBytes, randomUUIDv7, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const hashArgon2 = promisify(argon2);

// The smallest argon2id setting that OWASP recommends: 19 MiB, two passes. A stored hash names its own setting, so this
// can grow.
const setting = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const tagLength = 32;

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await hashArgon2("argon2id", { message: password.normalize("NFKC"), nonce, tagLength, ...setting });
  return `$argon2id$${setting.memory},${setting.passes},${setting.parallelism}$${nonce.toString("base64url")}$${tag.toString("base64url")}`;
}

export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, scheme, numbers, nonce, tag] = stored.split("$");
  const [memory, passes, parallelism] = (numbers ?? "").split(",").map(Number);
  if (scheme !== "argon2id" || !memory || !passes || !parallelism || !nonce || !tag) return false;
  const expected = Buffer.from(tag, "base64url");
  const actual = await hashArgon2("argon2id", {
    message: password.normalize("NFKC"),
    nonce: Buffer.from(nonce, "base64url"),
    tagLength: expected.length,
    memory,
    passes,
    parallelism,
  });
  return timingSafeEqual(expected, actual);
}

export function randomToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Tokens are long and random, so one fast hash makes a stolen database useless. */
export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** UUIDv7: ids made one after the other sort in that order, which keeps index pages dense. */
export function newId(): string {
  return randomUUIDv7();
}
