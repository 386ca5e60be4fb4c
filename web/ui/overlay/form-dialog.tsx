import { type ReactNode, useId } from "react";

import { Button } from "../button.tsx";
import { FormAlert } from "../form/field.tsx";
import type { useForm } from "../form/use-form.ts";
import { Dialog } from "./dialog.tsx";

interface FormDialogProps {
  form: ReturnType<typeof useForm>;
  title: string;
  description: string;
  /** The text of the button that submits the form. */
  action: string;
  danger?: boolean;
  /** More buttons, before Cancel. */
  buttons?: ReactNode;
  onClose: () => void;
  children?: ReactNode;
}

/** A form in a dialog. Open while it is mounted. A refusal is shown below the fields, and what was typed stays. */
export function FormDialog(props: FormDialogProps) {
  const { form, title, description, action, danger = false, buttons, onClose, children } = props;
  const formId = useId();
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description={description}
      footer={
        <>
          {buttons}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant={danger ? "danger" : "primary"} busy={form.busy}>
            {action}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4 empty:hidden">
        {children}
        <FormAlert message={form.error} takesFocus />
      </form>
    </Dialog>
  );
}
