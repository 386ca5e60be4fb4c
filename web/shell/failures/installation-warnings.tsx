import { TriangleAlert } from "lucide-react";
import { useState } from "react";

import { useWarnings } from "../../api/settings.ts";
import { ClosableBanner } from "../closable-banner.tsx";

const dismissedKey = "dismissedWarnings";

/** For administrators: what to change about the installation. Dismissing lasts until the tab is closed. */
export function InstallationWarnings() {
  const warnings = useWarnings();
  const [dismissed, setDismissed] = useState(readDismissed);
  const shown = warnings.filter(({ code }) => !dismissed.includes(code));
  if (shown.length === 0) return null;
  return (
    <ClosableBanner
      label="Warnings about this installation"
      testId="installation-warnings"
      icon={TriangleAlert}
      tone="warning"
      heightName="--banner"
      closeLabel="Dismiss for now"
      onClose={() => {
        const codes = [...dismissed, ...shown.map(({ code }) => code)];
        writeDismissed(codes);
        setDismissed(codes);
      }}
    >
      <div className="flex min-w-0 flex-col gap-x-6 gap-y-0.5 lg:flex-row lg:justify-between">
        <ul className="flex min-w-0 flex-col gap-1 font-medium">
          {shown.map(({ code, message }) => (
            <li key={code} className="max-w-5xl wrap-anywhere">
              {message}
            </li>
          ))}
        </ul>
        <p className="shrink-0 text-ink-muted">Only administrators see this.</p>
      </div>
    </ClosableBanner>
  );
}

function readDismissed(): string[] {
  try {
    return (sessionStorage.getItem(dismissedKey) ?? "").split("\n");
  } catch {
    return [];
  }
}

function writeDismissed(codes: readonly string[]): void {
  try {
    sessionStorage.setItem(dismissedKey, codes.join("\n"));
  } catch {
    // Without storage the warning comes back with the next page load.
    return;
  }
}
