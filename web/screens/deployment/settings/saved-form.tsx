import type { ReactNode } from "react";

import { Button } from "../../../ui/button.tsx";
import { FormAlert } from "../../../ui/form/field.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { toast } from "../../../ui/overlay/toast.ts";

interface SavedFormProps {
  label: string;
  /** Only owners of the deployment or of the project may change it. */
  disabled?: boolean;
  onSave: (data: FormData) => Promise<void>;
  children: ReactNode;
}

/** A form of settings with one button. What is wrong is shown, and what was typed stays. */
export function SavedForm({ label, disabled = false, onSave, children }: SavedFormProps) {
  const form = useForm(async (data) => {
    await onSave(data);
    toast.success("Saved.");
  });
  return (
    <form aria-label={label} onSubmit={form.onSubmit}>
      <fieldset disabled={disabled} className="flex min-w-0 flex-col gap-4">
        <legend className="sr-only">{label}</legend>
        {disabled ? (
          <p className="text-sm text-ink-muted">
            Only the owner of the deployment and owners of the project can change this.
          </p>
        ) : null}
        {children}
        <FormAlert message={form.error} takesFocus />
        {disabled ? null : (
          <div className="flex justify-end">
            <Button type="submit" variant="primary" busy={form.busy}>
              Save
            </Button>
          </div>
        )}
      </fieldset>
    </form>
  );
}
