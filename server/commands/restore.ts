import { mkdir, readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { restore } from "../platform/backup/restore.ts";
import { keyOf } from "../platform/cipher.ts";
import { holdDataFolder } from "../platform/data-folder.ts";
import { DataFolderInUse, StartupError } from "../platform/errors/startup-error.ts";
import { readConfig } from "../platform/settings/config.ts";
import { migrationsFolder } from "./open-installation.ts";
import { print, readArguments, runCommand } from "./run-command.ts";

const usage = "npm run restore -- FILE [--replace] [--key-file FILE]";

await runCommand(async () => {
  const options = { replace: { type: "boolean" }, "key-file": { type: "string" } } as const;
  const { positionals, values } = readArguments(options, usage);
  const [file, ...more] = positionals;
  if (!file || more.length > 0) throw new StartupError(`Name the archive.\nUsage: ${usage}`);
  const config = readConfig(process.env);
  const others: Buffer[] = [];
  if (config.secretKeyOld) others.push(keyOf(config.secretKeyOld));
  if (values["key-file"]) others.push(await readKeyFile(values["key-file"]));
  await mkdir(config.dataFolder, { recursive: true, mode: 0o711 });
  // A running server holds its folder, so this refuses to restore under it.
  const data = await holdDataFolder(config.dataFolder).catch((error: unknown) => {
    if (error instanceof DataFolderInUse)
      throw new StartupError(`${error.message} Stop it first. Nothing was changed.`);
    throw error;
  });
  try {
    const { manifest, aside } = await restore({
      archive: resolve(file),
      dataFolder: config.dataFolder,
      databaseUrl: config.databaseUrl,
      migrations: migrationsFolder,
      passphrase: config.backups.passphrase,
      keys: { fromSettings: config.secretKey ? keyOf(config.secretKey) : undefined, others },
      replace: values.replace ?? false,
      log: print,
    });
    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
    print(
      `Restored ${rows} rows and ${manifest.files.count} files of ${manifest.made_at} (Miranda ${manifest.version}).`,
    );
    for (const place of aside) print(`What was there before is in ${place}.`);
    print("Start the server. Everybody signs in as before.");
  } finally {
    await data.release();
  }
});

async function readKeyFile(path: string): Promise<Buffer> {
  const key = await readFile(path).catch(() => undefined);
  if (key?.length !== 32) throw new StartupError(`${path} is no file with a secret key: it has 32 bytes.`);
  return key;
}
