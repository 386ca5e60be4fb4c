import type { Db } from "../../platform/database/database.ts";
import type { Http } from "../../platform/http/http-server.ts";
import type { Installation } from "../../platform/installation/installation.ts";
import type { Config } from "../../platform/settings/config.ts";
import type { PasswordLinks } from "../auth/password-links/password-links-service.ts";
import { peopleRoutes } from "./people/people-routes.ts";
import { createPeople, type SessionsOfAccounts } from "./people/people-service.ts";
import { installationSettingsRoutes } from "./settings/installation-settings-routes.ts";
import { createInstallationSettings } from "./settings/installation-settings-service.ts";

interface Dependencies {
  http: Http;
  db: Db;
  installation: Installation;
  config: Config;
  passwordLinks: PasswordLinks;
  sessions: SessionsOfAccounts;
}

/** What administrators do: people, and the settings of the installation. */
export function installAdministration(deps: Dependencies): void {
  const { http, db, installation, config, passwordLinks, sessions } = deps;
  peopleRoutes(http, createPeople({ db, installation, passwordLinks, sessions }));
  installationSettingsRoutes(http, createInstallationSettings({ db, installation, config }));
}
