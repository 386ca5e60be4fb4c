import type { AdminSettings, InstallationSettings, SettingsBody } from "@miranda/contract/schemas/admin.ts";

import { actorOf, recordAuditEvent } from "../../../platform/audit/audit-log.ts";
import type { Db } from "../../../platform/database/database.ts";
import type { Caller } from "../../../platform/http/caller.ts";
import type { Installation } from "../../../platform/installation/installation.ts";
import type { Config } from "../../../platform/settings/config.ts";

export type InstallationSettingsService = ReturnType<typeof createInstallationSettings>;

interface Dependencies {
  db: Db;
  installation: Installation;
  config: Pick<Config, "quotas" | "processors" | "publicUrl" | "publicUrlIsFixed">;
}

/** The settings that administrators change without a restart. */
export function createInstallationSettings({ db, installation, config }: Dependencies) {
  const { quotas, processors } = config;
  const default_limits = {
    projects: quotas.projectsPerAccount,
    templates: quotas.templatesPerAccount,
    tokens: quotas.tokensPerAccount,
    processors: processors.mostPerAccount,
    processors_in_all: processors.most,
  };
  const address = { now: config.publicUrl ?? null, fixed: config.publicUrlIsFixed };
  const described = (settings: InstallationSettings): AdminSettings => ({ ...settings, default_limits, address });

  return {
    read: async (): Promise<AdminSettings> => described(await installation.readNow()),

    async change(caller: Caller, body: SettingsBody): Promise<AdminSettings> {
      const settings = await db.transaction().execute(async (trx) => {
        const changed = await installation.change(trx, caller.accountId, body);
        await recordAuditEvent(trx, {
          ...actorOf(caller),
          kind: "admin.settings",
          details: { change: changeWords(body) },
        });
        return changed;
      });
      installation.forget();
      return described(settings);
    },
  };
}

/** What was changed, in words for the audit log. */
function changeWords({ version: _version, limits, ...change }: SettingsBody): string {
  const values = Object.entries({ ...change, ...limits }).filter(([, value]) => value !== undefined && value !== null);
  return values.map(([name, value]) => `${name.replaceAll("_", " ")}: ${String(value)}`).join(", ");
}
