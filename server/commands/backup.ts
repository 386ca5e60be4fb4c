import { join, resolve } from "node:path";

import { archiveIn, makeRecordedBackup } from "../platform/backup/recorded-backup.ts";
import { openKeys } from "../platform/cipher.ts";
import { StartupError } from "../platform/errors/startup-error.ts";
import { readConfig } from "../platform/settings/config.ts";
import { openInstallation } from "./open-installation.ts";
import { print, readArguments, runCommand } from "./run-command.ts";

const usage = "npm run backup [-- FILE]";

await runCommand(async () => {
  const { positionals } = readArguments({}, usage);
  if (positionals.length > 1) throw new StartupError(`One file, please.\nUsage: ${usage}`);
  const config = readConfig(process.env);
  const { dataFolder, backups, processors } = config;
  const target = positionals[0] ? resolve(positionals[0]) : archiveIn(backups.folder ?? join(dataFolder, "backups"));
  await using installation = await openInstallation(config);
  const keys = await openKeys(config);
  let shown = "";
  const manifest = await makeRecordedBackup({
    db: installation.database.db,
    databaseUrl: installation.url,
    dataFolder,
    keys: keys(),
    passphrase: backups.passphrase,
    target,
    diskReserveBytes: processors.diskReserveBytes,
    madeBy: "command",
    accountId: null,
    onProgress({ step, done, total }) {
      const line = `${step} ${total === 0 ? 100 : Math.floor((done / total) * 10) * 10} %`;
      if (line !== shown && process.stdout.isTTY) print(line);
      shown = line;
    },
  });
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  print(
    `${target}: ${rows} rows of ${manifest.tables.length} tables, ${manifest.files.count} files. It was read back.`,
  );
  if (manifest.missing.length > 0)
    print(
      `${manifest.missing.length} files were not there or could not be copied. The first one: ${manifest.missing[0]}`,
    );
  print(
    "It does not contain volumes of containers, files in S3 buckets, or folders of sessions. Back up volumes and buckets yourself.",
  );
  if (manifest.key.sealed)
    print("It contains the secret key, sealed with MIRANDA_BACKUP_PASSPHRASE. Keep the passphrase.");
  else
    print(
      `It does not contain the secret key. Keep ${config.secretKey ? "MIRANDA_SECRET_KEY" : join(dataFolder, "secret-key")} in another place, or set MIRANDA_BACKUP_PASSPHRASE.`,
    );
});
