import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemCodeOf } from "./errors/error-details.ts";

export interface Cipher {
  encrypt(text: string): Buffer;
  decrypt(data: Buffer): string;
}

/** The keys of an installation. New values are sealed with `current`; `old` ones only open what was sealed before. */
export interface Keys {
  current: Buffer;
  old: Buffer[];
}

/** The settings that name keys. Without `secretKey`, the keys are files of the data folder. */
export interface KeySettings {
  dataFolder: string;
  secretKey: string | undefined;
  secretKeyOld: string | undefined;
}

const nonceLength = 12;
const tagLength = 16;

/** AES-256-GCM with the given key, or with one that is created once in the data folder. */
export async function openCipher(
  dataFolder: string,
  secretKey: string | undefined,
  secretKeyOld?: string,
): Promise<Cipher> {
  const keys = await openKeys({ dataFolder, secretKey, secretKeyOld });
  return {
    encrypt: (text) => seal(keys().current, text),
    decrypt(data) {
      const { current, old } = keys();
      for (const key of [current, ...old]) {
        const text = unseal(key, data);
        if (text !== undefined) return text;
      }
      throw new Error("A sealed value was sealed with another secret key.");
    },
  };
}

/** Reads the keys each time it is called: those in files may be changed by `npm run rotate-key` while we run. */
export async function openKeys({ dataFolder, secretKey, secretKeyOld }: KeySettings): Promise<() => Keys> {
  if (secretKey === undefined) {
    await createKey(dataFolder);
    return keysIn(dataFolder);
  }
  const keys = { current: keyOf(secretKey), old: secretKeyOld === undefined ? [] : [keyOf(secretKeyOld)] };
  return () => keys;
}

export function keyFiles(dataFolder: string): { current: string; old: string } {
  return { current: join(dataFolder, "secret-key"), old: join(dataFolder, "secret-key.old") };
}

export function keyOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

export function seal(key: Buffer, text: string): Buffer {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** Undefined when the value was sealed with another key, or changed since. */
export function unseal(key: Buffer, data: Buffer): string | undefined {
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, data.subarray(0, nonceLength));
    decipher.setAuthTag(data.subarray(nonceLength, nonceLength + tagLength));
    const body = data.subarray(nonceLength + tagLength);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

async function createKey(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  try {
    // Never overwrite a key: a second one would make every stored secret unreadable.
    await writeFile(keyFiles(folder).current, randomBytes(32), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (systemCodeOf(error) !== "EEXIST") throw error;
  }
}

function keysIn(folder: string): () => Keys {
  const files = keyFiles(folder);
  let keys: Keys = { current: readFileSync(files.current), old: [] };
  let known = "";
  return () => {
    const seen = `${stampOf(files.current)} ${stampOf(files.old)}`;
    if (seen === known) return keys;
    const current = readOptional(files.current);
    const old = readOptional(files.old);
    // A key that cannot be read now was read before: keep it.
    keys = { current: current ?? keys.current, old: old ? [old] : [] };
    known = seen;
    return keys;
  };
}

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? `${found.ino}/${found.mtimeMs}/${found.size}` : "none";
}

function readOptional(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
