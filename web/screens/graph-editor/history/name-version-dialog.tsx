import { useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { useNavigate } from "react-router";

import { formText, version as limits } from "@miranda/contract/limits.ts";

import { createVersion, refreshVersions } from "../../../api/versions.ts";
import { Button } from "../../../ui/button.tsx";
import { FormAlert, TextAreaField, TextField } from "../../../ui/form/field.tsx";
import { fieldText, useForm } from "../../../ui/form/use-form.ts";
import { Dialog } from "../../../ui/overlay/dialog.tsx";
import { toast } from "../../../ui/overlay/toast.ts";
import { UnsavedNotice } from "./unsaved-notice.tsx";
import { historyAddress, versionKey } from "./version-addresses.ts";

interface NameVersionDialogProps {
  projectId: string;
  graphId: string;
  onClose: () => void;
}

/** Keeps the workflow as it is, under a name. */
export function NameVersionDialog({ projectId, graphId, onClose }: NameVersionDialogProps) {
  const formId = useId();
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
    <Dialog
      open
      onOpenChange={onClose}
      title="Name this version"
      description="Keeps the workflow as it is now. You can look at it, compare it and restore it later."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={form.busy}>
            Name version
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={form.onSubmit} className="flex flex-col gap-4">
        <TextField
          label="Name"
          name="name"
          dir="auto"
          autoComplete="off"
          required
          maxLength={formText.nameMax}
          onChange={form.clearError}
        />
        <TextAreaField label="Message" name="message" dir="auto" optional maxLength={limits.messageMax} rows={4} />
        <UnsavedNotice />
        <FormAlert message={form.error} takesFocus />
      </form>
    </Dialog>
  );
}
