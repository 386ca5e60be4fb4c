import { useNavigate } from "react-router";

import type { ModelDetails } from "@miranda/contract/schemas/models/versions.ts";

import { useModelActions } from "../../../api/models/model-actions.ts";
import { undoNotice } from "../../../limits.ts";
import { useTrashTime } from "../../../panels/models/use-trash-time.ts";
import { counted } from "../../../ui/counted.ts";
import { ConfirmDialog } from "../../../ui/overlay/confirm-dialog.tsx";
import { toastFailure } from "../../../ui/overlay/toast-failure.ts";
import { toast } from "../../../ui/overlay/toast.ts";
import { DeploymentsNote } from "./deployments-note.tsx";

interface DeleteModelDialogProps {
  model: ModelDetails;
  onClose: () => void;
}

/** Puts the model into the trash, and offers to take it back. */
export function DeleteModelDialog({ model, onClose }: DeleteModelDialogProps) {
  const navigate = useNavigate();
  const trashTime = useTrashTime();
  const { remove, restore } = useModelActions(model.id);

  async function takeBack(): Promise<void> {
    await restore();
    toast.success(`“${model.name}” is back.`);
  }

  async function confirm(): Promise<void> {
    await remove();
    toast.success(`“${model.name}” is in the trash.`, {
      duration: undoNotice.shownFor,
      action: { label: "Undo", onClick: () => toastFailure(takeBack()) },
    });
    await navigate("/designer/models");
  }

  return (
    <ConfirmDialog
      title={`Delete “${model.name}”?`}
      text={`Its ${counted(model.versions, "version")} and files stay in the trash ${trashTime}, and can be restored. Code that loads it stops working at once.`}
      action="Delete the model"
      onConfirm={confirm}
      onClose={onClose}
    >
      <DeploymentsNote deployments={model.deployments} what="this model" />
    </ConfirmDialog>
  );
}
