import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";

import type { ModelVersion } from "@miranda/contract/schemas/models/versions.ts";

import { modelAddress } from "../../../api/models/model.ts";
import { IconButton } from "../../../ui/icon-button.tsx";
import { Dropdown, DropdownItem, DropdownSeparator } from "../../../ui/overlay/dropdown.tsx";
import { toastFailure } from "../../../ui/overlay/toast-failure.ts";
import { AliasDialog } from "../dialogs/alias-dialog.tsx";
import { DeleteVersionDialog } from "../dialogs/delete-version-dialog.tsx";
import { EditVersionDialog } from "../dialogs/edit-version-dialog.tsx";
import { RemoveAliasDialog } from "../dialogs/remove-alias-dialog.tsx";
import { useOpenModel } from "../open-model.tsx";
import { useTrashVersion } from "./use-trash-version.ts";
import { deploymentsOf } from "./version-deployments.ts";

/** What can be done with a version. */
export function VersionMenu({ version }: { version: ModelVersion }) {
  const { model, mayWrite } = useOpenModel();
  const { number, aliases } = version;
  const trashVersion = useTrashVersion(model.id, number);
  const deployments = deploymentsOf(model, version);
  const [dialog, setDialog] = useState<"alias" | "edit" | "delete" | { removes: string } | null>(null);
  const close = () => setDialog(null);
  const isUsed = aliases.length + deployments.length > 0;

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
            <DropdownItem danger onSelect={() => (isUsed ? setDialog("delete") : toastFailure(trashVersion()))}>
              {isUsed ? "Delete…" : "Delete"}
            </DropdownItem>
          </>
        ) : null}
      </Dropdown>
      {dialog === "alias" ? <AliasDialog model={model} number={number} onClose={close} /> : null}
      {dialog === "edit" ? <EditVersionDialog modelId={model.id} version={version} onClose={close} /> : null}
      {dialog === "delete" ? (
        <DeleteVersionDialog version={version} deployments={deployments} onConfirm={trashVersion} onClose={close} />
      ) : null}
      {dialog !== null && typeof dialog === "object" ? (
        <RemoveAliasDialog modelId={model.id} alias={dialog.removes} number={number} onClose={close} />
      ) : null}
    </>
  );
}
