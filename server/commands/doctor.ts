import { checkBackups, checkDatabase, checkSealedValues } from "../doctor/database-checks.ts";
import { type Finding, formatFinding, ok, problem } from "../doctor/findings.ts";
import { checkDataFolder, checkKey, checkNode, checkPort, checkPython } from "../doctor/machine-checks.ts";
import { checkEngine, checkMail, checkProviders, checkPublicUrl, checkRedis } from "../doctor/service-checks.ts";
import { messageOf } from "../platform/errors/error-details.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Config, readConfig } from "../platform/settings/config.ts";
import { migrationsFolder, openInstallation } from "./open-installation.ts";
import { print, readArguments, runCommand } from "./run-command.ts";

let problems = 0;

function say(...findings: (Finding | undefined)[]): void {
  for (const finding of findings) {
    if (!finding) continue;
    if (finding.state === "problem") problems += 1;
    print(formatFinding(finding));
  }
}

function read(): Config | undefined {
  try {
    return readConfig(process.env);
  } catch (error) {
    say(problem("Settings", messageOf(error), "Correct this variable. The other checks need it."));
    return undefined;
  }
}

async function examineDatabase(config: Config): Promise<void> {
  if (config.databaseUrl === undefined && !existsSync(join(config.dataFolder, "postgres", "cluster"))) {
    say(ok("Database", "the embedded one is made by the first start"), await checkPort(config));
    return;
  }
  try {
    await using installation = await openInstallation(config);
    const { database, isRunning } = installation;
    if (isRunning) say(ok("Server", "runs"));
    else if (config.databaseUrl === undefined) say(await checkPort(config));
    const findings = await checkDatabase(database, migrationsFolder);
    say(...findings);
    // Older tables would only fail the checks that need them.
    if (findings.some(({ part, state }) => part === "Migrations" && state !== "ok")) return;
    say(await checkSealedValues(database.pool, config), await checkBackups(database, config));
  } catch (error) {
    say(
      problem(
        "Database",
        messageOf(error),
        "Correct DATABASE_URL, or look into postgres/postgres.log in the data folder.",
      ),
    );
  }
}

await runCommand(async () => {
  readArguments({}, "npm run doctor");
  say(checkNode(), await checkPython());
  const config = read();
  if (config) {
    say(await checkDataFolder(config), await checkKey(config));
    await examineDatabase(config);
    say(
      ...(await checkEngine(config)),
      await checkRedis(config),
      await checkPublicUrl(config),
      await checkMail(config),
      ...(await checkProviders(config)),
    );
  }
  print(problems === 0 ? "Nothing is wrong." : `${problems} ${problems === 1 ? "problem" : "problems"}.`);
  return problems === 0 ? 0 : 1;
});
