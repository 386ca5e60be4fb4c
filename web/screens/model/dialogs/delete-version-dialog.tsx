import type { ModelDetails, ModelVersion } from "@miranda/contract/schemas/models/versions.ts";

import { useTrashTime } from "../../../panels/models/use-trash-time.ts";
import { ConfirmDialog } from "../../../ui/overlay/confirm-dialog.tsx";
import { DeploymentsNote } from "./deployments-note.tsx";

interface DeleteVersionDialogProps {
  version: ModelVersion;
  /** Those that load this version. */
  deployments: ModelDetails["deployments"];
  onConfirm: () => Promise<void>;
  onClose: () => void;
}

/** Asks before a version that somebody relies on is put into the trash. */
export function DeleteVersionDialog({ version, deployments, onConfirm, onClose }: DeleteVersionDialogProps) {
  const { number, aliases } = version;
  const trashTime = useTrashTime();
  return (
    <ConfirmDialog
      title={`Delete version ${number}?`}
      text={`It stays in the trash ${trashTime}, and can be restored. Code that loads it stops working at once.`}
      action="Delete the version"
      onConfirm={async () => {
        await onConfirm();
        onClose();
      }}
      onClose={onClose}
    >
      {aliases.length > 0 ? (
        <p className="text-sm wrap-anywhere">
          It loses its {aliases.length === 1 ? "alias" : "aliases"} {aliases.map((alias) => `“${alias}”`).join(", ")}.
          Restoring the version gives {aliases.length === 1 ? "it" : "them"} back.
        </p>
      ) : null}
      <DeploymentsNote deployments={deployments} what="this version" />
    </ConfirmDialog>
  );
}
