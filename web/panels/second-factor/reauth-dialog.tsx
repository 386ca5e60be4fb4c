import { useId } from "react";

import { ReauthField } from "../../shell/account/reauth-field.tsx";
import { Button } from "../../ui/button.tsx";
import { FormAlert } from "../../ui/form/field.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";
import { Dialog } from "../../ui/overlay/dialog.tsx";

interface ReauthDialogProps {
  title: string;
  text: string;
  action: string;
  danger?: boolean;
  onConfirm: (password: string) => Promise<void>;
  onClose: () => void;
}

/** Asks who somebody is before a sensitive act. Open while it is mounted. */
export function ReauthDialog({ title, text, action, danger = false, onConfirm, onClose }: ReauthDialogProps) {
  const formId = useId();
  const form = useForm((fields) => onConfirm(fieldText(fields, "password")));
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description={text}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant={danger ? "danger" : "primary"} busy={form.busy}>
            {action}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
        <ReauthField name="password" />
        <FormAlert message={form.error} takesFocus />
      </form>
    </Dialog>
  );
}
