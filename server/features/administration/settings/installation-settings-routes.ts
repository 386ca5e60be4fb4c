import { AdminSettings, SettingsBody } from "@miranda/contract/schemas/admin.ts";

import { callerOf } from "../../../platform/http/caller.ts";
import type { Http } from "../../../platform/http/http-server.ts";
import type { InstallationSettingsService } from "./installation-settings-service.ts";

const tags = ["administration"];
const path = "/api/v3/admin/settings";

export function installationSettingsRoutes(app: Http, settings: InstallationSettingsService): void {
  app.get(path, { config: { adminOnly: true }, schema: { tags, response: { 200: AdminSettings } } }, () =>
    settings.read(),
  );

  app.patch(
    path,
    {
      config: { adminOnly: true, sessionOnly: true },
      schema: { tags, body: SettingsBody, response: { 200: AdminSettings } },
    },
    (request) => settings.change(callerOf(request), request.body),
  );
}
