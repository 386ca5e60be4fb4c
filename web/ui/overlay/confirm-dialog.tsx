import type { ReactNode } from "react";

import { useForm } from "../form/use-form.ts";
import { FormDialog } from "./form-dialog.tsx";

interface ConfirmDialogProps {
  title: string;
  text: string;
  /** The text of the confirming button. */
  action: string;
  onConfirm: (fields: FormData) => Promise<void>;
  onClose: () => void;
  children?: ReactNode;
}

/** Asks before an action that cannot be undone. Open while it is mounted. */
export function ConfirmDialog({ title, text, action, onConfirm, onClose, children }: ConfirmDialogProps) {
  const form = useForm(onConfirm);
  return (
    <FormDialog form={form} title={title} description={text} action={action} danger onClose={onClose}>
      {children}
    </FormDialog>
  );
}
