import { useState } from "react";

import { Button } from "../../ui/button.tsx";
import { SettingsSection } from "../../ui/form/settings-section.tsx";
import { DeleteAccountDialog } from "./delete-account-dialog.tsx";

export function DeletionSection() {
  const [open, setOpen] = useState(false);
  return (
    <SettingsSection title="Delete account" description="For good. You first see what goes and what stays.">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 basis-60 text-ink-muted">
          Your name and your projects go. You can hand shared projects over to an editor.
        </p>
        <Button variant="danger" className="ml-auto" onClick={() => setOpen(true)}>
          Delete account
        </Button>
      </div>
      {open ? <DeleteAccountDialog onClose={() => setOpen(false)} /> : null}
    </SettingsSection>
  );
}
