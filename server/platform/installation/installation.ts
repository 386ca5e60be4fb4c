import { InstallationLimits, type InstallationSettings, type SettingsBody } from "@miranda/contract/schemas/admin.ts";

import type { Db } from "../database/database.ts";
import { AppError } from "../errors/app-error.ts";
import { installationQueries } from "./installation-queries.ts";

// Every server reads the settings again after this time, so all agree soon.
const cachedFor = 1_000;

export type Installation = ReturnType<typeof createInstallation>;

/** What administrators decide without a restart. */
export function createInstallation(db: Db) {
  let cached: { settings: Promise<InstallationSettings>; until: number } | undefined;

  async function readNow(from: Db = db): Promise<InstallationSettings> {
    const { one: _, changed_by_name, changed_at, limits, ...row } = await installationQueries(from).read();
    return {
      ...row,
      limits: InstallationLimits.parse(limits),
      changed_by: changed_by_name,
      time_changed: changed_at?.toISOString() ?? null,
    };
  }

  function read(): Promise<InstallationSettings> {
    if (cached && cached.until > Date.now()) return cached.settings;
    const settings = readNow();
    cached = { settings, until: Date.now() + cachedFor };
    settings.catch(() => (cached = undefined));
    return settings;
  }

  return {
    /** At most a second old. */
    read,
    /** As they are now, also inside a transaction. */
    readNow,

    /** Inside a transaction, so that the change and its record are one. Nothing changes when the version is another. */
    async change(trx: Db, by: string, { version, limits, ...change }: SettingsBody): Promise<InstallationSettings> {
      const given = {
        ...withoutUndefined(change),
        ...(limits && { limits: JSON.stringify(withoutNull(limits)) }),
      };
      if (!(await installationQueries(trx).change(given, version, by))) throw new AppError("settings_changed");
      const settings = await readNow(trx);
      if (settings.registration === "domains" && settings.registration_domains.length === 0)
        throw new AppError("settings_no_domain");
      return settings;
    },

    /** Call it after a change was committed: this server shows it at once. */
    forget(): void {
      cached = undefined;
    },

    /** Before the first account there is nobody who could let others in. */
    isNew: async (): Promise<boolean> => !(await installationQueries(db).hasAccounts()),
  };
}

function withoutUndefined<Value extends object>(value: Value): Partial<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Partial<Value>;
}

export function withoutNull(limits: Record<string, number | null>): Record<string, number> {
  return Object.fromEntries(Object.entries(limits).filter((entry): entry is [string, number] => entry[1] !== null));
}
