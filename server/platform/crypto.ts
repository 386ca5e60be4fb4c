import { argon2, createHash, randomBytes, timingSafeEqual } from "node:crypto";
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

const lastId = { time: 0, count: 0 };

/**
 * UUIDv7: ids that a server makes one after the other sort in that order, also within a millisecond. Lists and queues
 * rely on it. Node's own are random within a millisecond.
 */
export function newId(): string {
  const now = Date.now();
  if (now > lastId.time) Object.assign(lastId, { time: now, count: 0 });
  else if (lastId.count < 0xfff) lastId.count += 1;
  else Object.assign(lastId, { time: lastId.time + 1, count: 0 });
  const bytes = randomBytes(16);
  bytes.writeUIntBE(lastId.time, 0, 6);
  bytes.writeUInt16BE(0x7000 | lastId.count, 6);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
