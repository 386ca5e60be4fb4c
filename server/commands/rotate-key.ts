import { setTimeout as pause } from "node:timers/promises";

import { openKeys } from "../platform/cipher.ts";
import { StartupError } from "../platform/errors/startup-error.ts";
import { beginRotation, endRotation, reencryptAll } from "../platform/keys/rotate-key.ts";
import { readConfig } from "../platform/settings/config.ts";
import { openInstallation } from "./open-installation.ts";
import { print, readArguments, runCommand } from "./run-command.ts";

// A value that was sealed just before the new key came may be stored a moment later.
const settle = 2_000;

await runCommand(async () => {
  readArguments({}, "npm run rotate-key");
  const config = readConfig(process.env);
  if (config.secretKey && !config.secretKeyOld)
    throw new StartupError(
      "MIRANDA_SECRET_KEY sets the key. Set it to the new key and MIRANDA_SECRET_KEY_OLD to the old one, restart the servers, and run this again. See docs/operations.md.",
    );
  await using installation = await openInstallation(config);
  const keys = await openKeys(config);
  if (!config.secretKey) await beginRotation(config.dataFolder);
  let changed = 0;
  let unreadable = 0;
  for (;;) {
    const sum = await reencryptAll(installation.database.pool, keys());
    changed += sum.changed;
    unreadable = sum.unreadable;
    if (sum.changed === 0) break;
    await pause(settle);
  }
  print(`${changed} values were sealed with the new key.`);
  if (unreadable > 0) {
    print(`${unreadable} values cannot be opened with any known key. They were left as they are, and the old key too.`);
    return 1;
  }
  if (config.secretKey) print("Remove MIRANDA_SECRET_KEY_OLD and restart the servers.");
  else
    print(
      `The old key is in ${await endRotation(config.dataFolder)}. Archives made before need it, unless they contain their key. Delete it when they are gone.`,
    );
});
