import { Settings } from "@miranda/contract/schemas/settings.ts";

import type { Config } from "../../platform/config.ts";
import type { Http } from "../../platform/http-server.ts";

export function settingsRoutes(app: Http, { currency, processorHost }: Config): void {
  app.get("/api/v3/settings", { schema: { tags: ["settings"], response: { 200: Settings } } }, async () => ({
    currency,
    processor_host: processorHost ?? null,
  }));
}
