import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemCodeOf } from "./errors/error-details.ts";

export interface Cipher {
  encrypt(text: string): Buffer;
  decrypt(data: Buffer): string;
}

const nonceLength = 12;
const tagLength = 16;

/** AES-256-GCM with the given key, or with one that is created once in the data folder. */
export async function openCipher(dataFolder: string, given: string | undefined): Promise<Cipher> {
  const key = given ? createHash("sha256").update(given).digest() : await keyIn(dataFolder);
  return {
    encrypt(text) {
      const nonce = randomBytes(nonceLength);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]);
    },
    decrypt(data) {
      const decipher = createDecipheriv("aes-256-gcm", key, data.subarray(0, nonceLength));
      decipher.setAuthTag(data.subarray(nonceLength, nonceLength + tagLength));
      return Buffer.concat([decipher.update(data.subarray(nonceLength + tagLength)), decipher.final()]).toString(
        "utf8",
      );
    },
  };
}

async function keyIn(folder: string): Promise<Buffer> {
  const file = join(folder, "secret-key");
  await mkdir(folder, { recursive: true });
  try {
    // Never overwrite a key: a second one would make every stored secret unreadable.
    await writeFile(file, randomBytes(32), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (systemCodeOf(error) !== "EEXIST") throw error;
  }
  return readFile(file);
}
