import type { ReactNode } from "react";

import { Button } from "../../ui/button.tsx";
import { FormAlert } from "../../ui/form/field.tsx";
import { SettingsSection } from "../../ui/form/settings-section.tsx";
import { useVersionedForm, type VersionedSave } from "./use-versioned-form.ts";

interface VersionedFormProps extends VersionedSave {
  title: string;
  description: string;
  /** The text of the button. */
  action: string;
  /** Replaces what was typed with what is stored. */
  onReload: () => Promise<void>;
  children: ReactNode;
}

/** A section whose values have a version. When somebody else was faster, nothing is saved and what was typed stays. */
export function VersionedForm({ title, description, action, onReload, children, ...saving }: VersionedFormProps) {
  const form = useVersionedForm(saving);
  return (
    <SettingsSection title={title} description={description}>
      <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
        {children}
        <FormAlert message={form.error} takesFocus />
        <div className="flex flex-wrap justify-end gap-2">
          {form.isOutdated ? <Button onClick={() => void onReload()}>Load current values</Button> : null}
          <Button type="submit" variant="primary" busy={form.busy}>
            {action}
          </Button>
        </div>
      </form>
    </SettingsSection>
  );
}
