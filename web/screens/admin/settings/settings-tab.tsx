import { useState } from "react";

import { RelativeTime } from "../../../shell/relative-time.tsx";
import { useInstallationSettings } from "../../../api/admin/installation.ts";
import { NotLoaded } from "../not-loaded.tsx";
import { AddressSection } from "./address-section.tsx";
import { AnnouncementSection } from "./announcement-section.tsx";
import { LimitsSection } from "./limits-section.tsx";
import { PaymentSection } from "./payment-section.tsx";
import { ProjectsSection } from "./projects-section.tsx";
import { RegistrationSection } from "./registration-section.tsx";
import { SecondFactorSection } from "./second-factor-section.tsx";

/** What administrators decide without a restart. */
export function SettingsTab() {
  const query = useInstallationSettings();
  const { data: settings, refetch } = query;
  // Grows when the stored settings replace what was typed.
  const [shown, setShown] = useState(0);
  if (!settings) return <NotLoaded title="The settings could not be loaded" query={query} />;

  async function reload() {
    await refetch();
    setShown((count) => count + 1);
  }
  const props = { settings, onReload: reload };
  return (
    <div key={shown} className="flex flex-col gap-10">
      <p className="text-sm text-ink-muted">
        Changes take effect immediately, on every server.{" "}
        {settings.time_changed === null ? (
          "Nobody has changed them yet."
        ) : (
          <>
            Changed last by {settings.changed_by ?? "a deleted account"}, <RelativeTime time={settings.time_changed} />.
          </>
        )}
      </p>
      <RegistrationSection {...props} />
      <ProjectsSection {...props} />
      <PaymentSection {...props} />
      <SecondFactorSection {...props} />
      <AddressSection {...props} />
      <LimitsSection {...props} />
      <AnnouncementSection {...props} />
    </div>
  );
}
