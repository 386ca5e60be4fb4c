import { Announcement } from "@miranda/contract/schemas/admin.ts";
import { Settings, type Warning, WarningList } from "@miranda/contract/schemas/settings.ts";

import { AppError } from "../../platform/errors/app-error.ts";
import { callerOf } from "../../platform/http/caller.ts";
import type { Config } from "../../platform/settings/config.ts";
import type { Installation } from "../../platform/installation/installation.ts";
import type { Http } from "../../platform/http/http-server.ts";

const tags = ["settings"];

interface Sources {
  installation: Pick<Installation, "read" | "isNew">;
  warnings: () => Warning[];
  /** The ways in besides a password. */
  signIn: () => Settings["sign_in"];
}

export function settingsRoutes(
  app: Http,
  { currency, processorHost, docsUrl, artifacts }: Config,
  { installation, warnings, signIn }: Sources,
): void {
  // Also for the sign-in pages.
  app.get(
    "/api/v3/settings",
    { config: { public: true }, schema: { tags, response: { 200: Settings } } },
    async (request) => {
      const { registration, registration_domains, second_factor, default_visibility } = await installation.read();
      return {
        currency,
        // Where sessions run is nothing for strangers.
        processor_host: request.caller ? (processorHost ?? null) : null,
        docs_url: docsUrl ?? null,
        registration: registration !== "open" && (await installation.isNew()) ? "open" : registration,
        registration_domains: registration === "domains" ? registration_domains : [],
        default_visibility,
        trash_days: artifacts.trashDays,
        second_factor,
        sign_in: signIn(),
      };
    },
  );

  app.get("/api/v3/announcement", { schema: { tags, response: { 200: Announcement } } }, async () => {
    const { announcement, announcement_until: until } = await installation.read();
    const isOver = until !== "" && new Date().toISOString().slice(0, 10) > until;
    return { text: isOver ? "" : announcement };
  });

  // Warnings reveal the installation's weaknesses: administrators only.
  app.get("/api/v3/settings/warnings", { schema: { tags, response: { 200: WarningList } } }, async (request) => {
    if (!callerOf(request).isAdmin) throw new AppError("not_admin");
    return { warnings: warnings() };
  });
}
