import { randomBytes } from "node:crypto";
import { copyFile, constants, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Pool } from "pg";

import { keyFiles, type Keys, seal, unseal } from "../cipher.ts";
import { syncFile } from "../sync-file.ts";
import { nextSealed, replaceSealed, sealedColumns } from "./sealed-values-queries.ts";

const batch = 500;

export interface Sealed {
  /** Values that were sealed again. */
  changed: number;
  /** Values that no known key opens. They are left as they are. */
  unreadable: number;
}

/**
 * Makes a new key in the data folder, beside the old one, which still opens what it sealed. A running server notices it
 * at its next use. Does nothing when an earlier rotation was cut: that one goes on with its own key.
 */
export async function beginRotation(dataFolder: string): Promise<void> {
  const files = keyFiles(dataFolder);
  const current = await readFile(files.current);
  // Complete or not at all: half a key would open nothing.
  const copy = `${files.old}.new`;
  const old = await readFile(files.old).catch(() => undefined);
  if (old && !old.equals(current)) return;
  if (!old) {
    await rm(copy, { force: true });
    await copyFile(files.current, copy, constants.COPYFILE_EXCL);
    await syncFile(copy);
    await rename(copy, files.old);
    await syncFile(dirname(files.old));
  }
  const next = `${files.current}.new`;
  await rm(next, { force: true });
  const file = await open(next, "wx", 0o600);
  await file.writeFile(randomBytes(32));
  await file.sync();
  await file.close();
  await rename(next, files.current);
  await syncFile(dirname(files.current));
}

/** Seals every value again that was sealed with an old key, in batches. Values that have the new key are left alone. */
export async function reencryptAll(pool: Pool, { current, old }: Keys): Promise<Sealed> {
  const sum = { changed: 0, unreadable: 0 };
  for (const column of sealedColumns) {
    let last: Buffer = Buffer.alloc(0);
    for (;;) {
      const values = await nextSealed(pool, column, last, batch);
      const pairs: { before: Buffer; after: Buffer }[] = [];
      for (const before of values) {
        if (unseal(current, before) !== undefined) continue;
        const text = old.map((key) => unseal(key, before)).find((found) => found !== undefined);
        if (text === undefined) sum.unreadable += 1;
        else pairs.push({ before, after: seal(current, text) });
      }
      await replaceSealed(pool, column, pairs);
      sum.changed += pairs.length;
      if (values.length < batch) break;
      last = values.at(-1) ?? last;
    }
  }
  return sum;
}

/** Takes the old key away from the server. The file stays: archives from before the rotation need it. */
export async function endRotation(dataFolder: string): Promise<string> {
  const { old } = keyFiles(dataFolder);
  const retired = `${dirname(old)}/secret-key.retired-${new Date().toISOString().replaceAll(/\D/g, "").slice(0, 14)}`;
  await rename(old, retired);
  await syncFile(dirname(old));
  return retired;
}
