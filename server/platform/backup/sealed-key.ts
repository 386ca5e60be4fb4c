import { createHmac, randomBytes, scrypt, timingSafeEqual } from "node:crypto";

import { type Keys, seal, unseal } from "../cipher.ts";
import { BackupError } from "./backup-error.ts";
import type { Manifest } from "./archive-format.ts";

// 128 MB of memory for each guess.
const cost = { N: 131_072, r: 8, p: 1, maxmem: 256 * 1024 * 1024 } as const;

function keyOfPassphrase(passphrase: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize("NFKC"), salt, 32, cost, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

function fingerprintOf(key: Buffer): string {
  return createHmac("sha256", key).update("miranda backup").digest("hex");
}

export async function sealKeys({ current, old }: Keys, passphrase: string | undefined): Promise<Manifest["key"]> {
  const all = [current, ...old];
  const fingerprints = all.map(fingerprintOf);
  if (passphrase === undefined) return { fingerprints, sealed: null };
  const salt = randomBytes(16);
  const text = JSON.stringify(all.map((key) => key.toString("base64")));
  const value = seal(await keyOfPassphrase(passphrase, salt), text);
  return { fingerprints, sealed: { salt: salt.toString("base64"), value: value.toString("base64") } };
}

/** Finds every key that the archive was made with, or refuses: without them the secrets could never be opened again. */
export async function findKeys(
  { fingerprints, sealed }: Manifest["key"],
  passphrase: string | undefined,
  given: Buffer[],
): Promise<Buffer[]> {
  const candidates = [...given];
  if (sealed && passphrase !== undefined) {
    const key = await keyOfPassphrase(passphrase, Buffer.from(sealed.salt, "base64"));
    const text = unseal(key, Buffer.from(sealed.value, "base64"));
    if (text === undefined)
      throw new BackupError("The passphrase is wrong (MIRANDA_BACKUP_PASSPHRASE). Nothing was changed.");
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list)) candidates.push(...list.map((item) => Buffer.from(String(item), "base64")));
  }
  return fingerprints.map((wanted) => {
    const found = candidates.find((key) => timingSafeEqual(Buffer.from(fingerprintOf(key)), Buffer.from(wanted)));
    if (found) return found;
    const way = sealed
      ? "Set MIRANDA_BACKUP_PASSPHRASE to the passphrase of the archive"
      : "The archive does not contain it: set MIRANDA_SECRET_KEY, or name the file with --key-file";
    throw new BackupError(`The secret key of the archive is missing. ${way}. Nothing was changed.`);
  });
}
