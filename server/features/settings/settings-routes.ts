import { Settings, type Warning, WarningList } from "@miranda/contract/schemas/settings.ts";

import { AppError } from "../../platform/errors/app-error.ts";
import { callerOf } from "../../platform/http/caller.ts";
import type { Config } from "../../platform/settings/config.ts";
import type { Http } from "../../platform/http/http-server.ts";

const tags = ["settings"];

export function settingsRoutes(
  app: Http,
  { currency, processorHost, docsUrl }: Config,
  warnings: () => Warning[],
): void {
  app.get("/api/v3/settings", { schema: { tags, response: { 200: Settings } } }, async () => ({
    currency,
    processor_host: processorHost ?? null,
    docs_url: docsUrl ?? null,
  }));

  // Warnings reveal the installation's weaknesses: administrators only.
  app.get("/api/v3/settings/warnings", { schema: { tags, response: { 200: WarningList } } }, async (request) => {
    if (!callerOf(request).isAdmin) throw new AppError("not_admin");
    return { warnings: warnings() };
  });
}
