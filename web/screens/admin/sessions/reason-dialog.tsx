import { adminLists } from "@miranda/contract/admin-limits.ts";

import { TextAreaField } from "../../../ui/form/field.tsx";
import { fieldText } from "../../../ui/form/use-form.ts";
import { ConfirmDialog } from "../../../ui/overlay/confirm-dialog.tsx";

interface ReasonDialogProps {
  title: string;
  text: string;
  action: string;
  onConfirm: (reason: string) => Promise<void>;
  onClose: () => void;
}

/** Asks before a session of somebody else is ended, and why. */
export function ReasonDialog({ onConfirm, onClose, ...words }: ReasonDialogProps) {
  return (
    <ConfirmDialog
      {...words}
      onConfirm={async (fields) => {
        await onConfirm(fieldText(fields, "reason"));
        onClose();
      }}
      onClose={onClose}
    >
      <TextAreaField
        label="Reason"
        name="reason"
        rows={2}
        maxLength={adminLists.reasonMax}
        placeholder="The machine is needed for maintenance at noon."
      />
    </ConfirmDialog>
  );
}
