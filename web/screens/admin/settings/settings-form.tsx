import type { ReactNode } from "react";

import type { AdminSettings } from "@miranda/contract/schemas/admin.ts";

import { type SettingsChange, useChangeSettings } from "../../../api/admin/installation.ts";
import { toast } from "../../../ui/overlay/toast.ts";
import { VersionedForm } from "../versioned-form.tsx";

export interface SettingsPartProps {
  settings: AdminSettings;
  /** Replaces what was typed with what is stored. */
  onReload: () => Promise<void>;
}

interface SettingsFormProps extends SettingsPartProps {
  title: string;
  description: string;
  action: string;
  read: (fields: FormData) => SettingsChange;
  children: ReactNode;
}

/** One part of the settings. */
export function SettingsForm({ settings, read, ...section }: SettingsFormProps) {
  const change = useChangeSettings(settings);
  return (
    <VersionedForm
      {...section}
      refusedWith="settings_changed"
      save={async (fields) => {
        await change(read(fields));
        toast.success("Settings saved.");
      }}
    />
  );
}
