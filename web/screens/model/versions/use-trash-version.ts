import { useModelActions } from "../../../api/models/model-actions.ts";
import { undoNotice } from "../../../limits.ts";
import { toastFailure } from "../../../ui/overlay/toast-failure.ts";
import { toast } from "../../../ui/overlay/toast.ts";

/** Puts a version into the trash, and offers to take it back. */
export function useTrashVersion(modelId: string, number: number): () => Promise<void> {
  const { removeVersion, restoreVersion } = useModelActions(modelId);

  async function takeBack(): Promise<void> {
    await restoreVersion(number);
    toast.success(`Version ${number} is back.`);
  }

  return async () => {
    await removeVersion(number);
    toast.success(`Version ${number} is in the trash.`, {
      duration: undoNotice.shownFor,
      action: { label: "Undo", onClick: () => toastFailure(takeBack()) },
    });
  };
}
