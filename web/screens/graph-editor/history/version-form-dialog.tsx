import { type ReactNode, useId } from "react";

import { formText } from "@miranda/contract/limits.ts";

import { Button } from "../../../ui/button.tsx";
import { FormAlert, TextField } from "../../../ui/form/field.tsx";
import type { useForm } from "../../../ui/form/use-form.ts";
import { Dialog } from "../../../ui/overlay/dialog.tsx";

interface VersionFormDialogProps {
  title: string;
  description: string;
  /** The words of the button that sends the form. */
  action: string;
  form: ReturnType<typeof useForm>;
  defaultName?: string;
  /** Below the name. */
  children: ReactNode;
  onClose: () => void;
}

/** A dialog that asks for a name and a little more. */
export function VersionFormDialog(props: VersionFormDialogProps) {
  const { title, description, action, form, defaultName, children, onClose } = props;
  const formId = useId();
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={form.busy}>
            {action}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={form.onSubmit} className="flex flex-col gap-4">
        <TextField
          label="Name"
          name="name"
          dir="auto"
          autoComplete="off"
          required
          maxLength={formText.nameMax}
          defaultValue={defaultName}
          onChange={form.clearError}
        />
        {children}
        <FormAlert message={form.error} takesFocus />
      </form>
    </Dialog>
  );
}
