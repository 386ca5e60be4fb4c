import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";

import { version as limits } from "@miranda/contract/limits.ts";

import { createVersion, refreshVersions } from "../../../api/versions.ts";
import { TextAreaField } from "../../../ui/form/field.tsx";
import { fieldText, useForm } from "../../../ui/form/use-form.ts";
import { toast } from "../../../ui/overlay/toast.ts";
import { UnsavedNotice } from "../../../panels/unsaved-notice.tsx";
import { historyAddress, versionKey } from "./version-addresses.ts";
import { VersionFormDialog } from "./version-form-dialog.tsx";

interface NameVersionDialogProps {
  projectId: string;
  graphId: string;
  onClose: () => void;
}

/** Keeps the workflow as it is, under a name. */
export function NameVersionDialog({ projectId, graphId, onClose }: NameVersionDialogProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const form = useForm(async (data) => {
    const made = await createVersion(graphId, {
      name: fieldText(data, "name"),
      message: fieldText(data, "message"),
      publish: false,
      left_out: [],
    });
    refreshVersions(client, graphId);
    onClose();
    toast.success(`“${made.name}” is version ${made.number}.`, {
      action: { label: "History", onClick: () => void navigate(historyAddress(projectId, graphId, versionKey(made))) },
    });
  });
  return (
    <VersionFormDialog
      title="Name this version"
      description="Keeps the workflow as it is now. You can look at it, compare it and restore it later."
      action="Name version"
      form={form}
      onClose={onClose}
    >
      <TextAreaField label="Message" name="message" dir="auto" optional maxLength={limits.messageMax} rows={4} />
      <UnsavedNotice />
    </VersionFormDialog>
  );
}
