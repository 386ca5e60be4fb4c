import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";

import type { ModelVersion } from "@miranda/contract/schemas/models/versions.ts";

import { modelAddress } from "../../../api/models/model.ts";
import { useModelActions } from "../../../api/models/model-actions.ts";
import { undoNotice } from "../../../limits.ts";
import { IconButton } from "../../../ui/icon-button.tsx";
import { Dropdown, DropdownItem, DropdownSeparator } from "../../../ui/overlay/dropdown.tsx";
import { toastFailure } from "../../../ui/overlay/toast-failure.ts";
import { toast } from "../../../ui/overlay/toast.ts";
import { AliasDialog } from "../dialogs/alias-dialog.tsx";
import { EditVersionDialog } from "../dialogs/edit-version-dialog.tsx";
import { RemoveAliasDialog } from "../dialogs/remove-alias-dialog.tsx";
import { useOpenModel } from "../open-model.tsx";

/** What can be done with a version. */
export function VersionMenu({ version }: { version: ModelVersion }) {
  const { model, mayWrite } = useOpenModel();
  const { number, aliases } = version;
  const { removeVersion, restoreVersion } = useModelActions(model.id);
  const [dialog, setDialog] = useState<"alias" | "edit" | { removes: string } | null>(null);
  const close = () => setDialog(null);

  async function remove(): Promise<void> {
    await removeVersion(number);
    const undo = async () => {
      await restoreVersion(number);
      toast.success(`Version ${number} is back.`);
    };
    toast.success(`Version ${number} is in the trash.`, {
      duration: undoNotice.shownFor,
      action: { label: "Undo", onClick: () => toastFailure(undo()) },
    });
  }

  return (
    <>
      <Dropdown trigger={<IconButton icon={Ellipsis} label={`Actions for version ${number}`} />}>
        <DropdownItem asChild>
          <Link to={modelAddress(model.id, "use", number)}>Use it</Link>
        </DropdownItem>
        <DropdownItem asChild>
          <Link to={modelAddress(model.id, "files", number)}>Files</Link>
        </DropdownItem>
        <DropdownItem asChild>
          <Link to={modelAddress(model.id, "lineage", number)}>Lineage</Link>
        </DropdownItem>
        {mayWrite ? (
          <>
            <DropdownSeparator />
            <DropdownItem onSelect={() => setDialog("alias")}>Set an alias…</DropdownItem>
            {aliases.map((alias) => (
              <DropdownItem key={alias} onSelect={() => setDialog({ removes: alias })}>
                Remove “{alias}”…
              </DropdownItem>
            ))}
            <DropdownItem onSelect={() => setDialog("edit")}>Edit…</DropdownItem>
            <DropdownSeparator />
            <DropdownItem danger onSelect={() => toastFailure(remove())}>
              Delete
            </DropdownItem>
          </>
        ) : null}
      </Dropdown>
      {dialog === "alias" ? <AliasDialog model={model} number={number} onClose={close} /> : null}
      {dialog === "edit" ? <EditVersionDialog modelId={model.id} version={version} onClose={close} /> : null}
      {dialog !== null && typeof dialog === "object" ? (
        <RemoveAliasDialog modelId={model.id} alias={dialog.removes} number={number} onClose={close} />
      ) : null}
    </>
  );
}
