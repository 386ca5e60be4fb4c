import { type ReactNode, useId } from "react";

import { Button } from "../button.tsx";
import { Dialog } from "./dialog.tsx";
import { FormAlert } from "../form/field.tsx";
import { useForm } from "../form/use-form.ts";

interface ConfirmDialogProps {
  title: string;
  text: string;
  /** The text of the confirming button. */
  action: string;
  onConfirm: () => Promise<void>;
  onClose: () => void;
  children?: ReactNode;
}

/** Asks before an action that cannot be undone. Open while it is mounted. */
export function ConfirmDialog({ title, text, action, onConfirm, onClose, children }: ConfirmDialogProps) {
  const formId = useId();
  const form = useForm(onConfirm);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description={text}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="danger" busy={form.busy}>
            {action}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={form.onSubmit} className="flex flex-col gap-3 empty:hidden">
        {children}
        <FormAlert message={form.error} takesFocus />
      </form>
    </Dialog>
  );
}
