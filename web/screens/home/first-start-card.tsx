import { Settings2 } from "lucide-react";
import { Link } from "react-router";

import { useChangeSettings, useInstallationSettings } from "../../api/admin/installation.ts";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";

/** For the administrator of a new installation: who may use it is still open. */
export function FirstStartCard() {
  const { data: settings } = useInstallationSettings();
  const change = useChangeSettings({ version: settings?.version ?? 0 });
  if (settings?.first_start !== "open") return null;
  return (
    <section
      aria-label="Set up this installation"
      className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-xl border border-line bg-surface px-4 py-3 shadow-low sm:px-5 lg:col-span-2"
    >
      <Settings2 className="size-5 shrink-0 text-ink-muted max-sm:hidden" aria-hidden="true" />
      <p className="min-w-56 flex-1 text-pretty">
        <span className="font-medium">Who may use this installation?</span>{" "}
        <span className="text-ink-muted">Until you answer, everybody who reaches it can register.</span>
      </p>
      <div className="flex gap-2">
        <Button variant="ghost" onClick={() => toastFailure(change({ first_start: "later" }))}>
          Later
        </Button>
        <Link to="/account/first-start" className={buttonClasses()}>
          Answer four questions
        </Link>
      </div>
    </section>
  );
}
