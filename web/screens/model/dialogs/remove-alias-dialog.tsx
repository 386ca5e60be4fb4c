import { useState } from "react";

import { useModelActions } from "../../../api/models/model-actions.ts";
import { TextAreaField } from "../../../ui/form/field.tsx";
import { ConfirmDialog } from "../../../ui/overlay/confirm-dialog.tsx";

interface RemoveAliasDialogProps {
  modelId: string;
  alias: string;
  number: number;
  onClose: () => void;
}

export function RemoveAliasDialog({ modelId, alias, number, onClose }: RemoveAliasDialogProps) {
  const { removeAlias } = useModelActions(modelId);
  const [reason, setReason] = useState("");
  return (
    <ConfirmDialog
      title={`Remove “${alias}” from version ${number}?`}
      text="Code and deployments that load the model by this alias will not find it any more."
      action="Remove the alias"
      onConfirm={async () => {
        await removeAlias(alias, reason.trim());
        onClose();
      }}
      onClose={onClose}
    >
      <TextAreaField
        label="Reason"
        rows={2}
        optional
        value={reason}
        onChange={({ target }) => setReason(target.value)}
        hint="Everybody who reads the project sees it in the history."
      />
    </ConfirmDialog>
  );
}
