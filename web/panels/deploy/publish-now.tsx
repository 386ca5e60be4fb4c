import { useQueryClient } from "@tanstack/react-query";
import { Tag } from "lucide-react";

import { formText } from "@miranda/contract/limits.ts";
import type { Version } from "@miranda/contract/schemas/versions.ts";

import { createVersion, refreshVersions } from "../../api/versions.ts";
import { Button } from "../../ui/button.tsx";
import { FormAlert, TextField } from "../../ui/form/field.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";
import { UnsavedNotice } from "../unsaved-notice.tsx";

interface PublishNowProps {
  graphId: string;
  suggested: string;
  action: string;
  onPublished: (version: Version) => void;
  onCancel?: () => void;
}

/** Publishes the workflow as it is, without leaving the dialog. */
export function PublishNow({ graphId, suggested, action, onPublished, onCancel }: PublishNowProps) {
  const client = useQueryClient();
  const form = useForm(async (data) => {
    const made = await createVersion(graphId, {
      name: fieldText(data, "version-name"),
      message: "",
      publish: true,
      left_out: [],
    });
    refreshVersions(client, graphId);
    onPublished(made);
  });
  return (
    <form
      onSubmit={form.onSubmit}
      className="flex flex-col gap-3 rounded-lg border border-line bg-sunken/50 p-4"
      data-testid="publish-now"
    >
      <p className="flex items-start gap-2.5 text-sm text-ink-muted">
        <Tag className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
        An app serves a published version, which never changes. You can keep working on the workflow, and callers notice
        nothing.
      </p>
      <TextField
        label="Name of the version"
        name="version-name"
        dir="auto"
        required
        autoComplete="off"
        maxLength={formText.nameMax}
        defaultValue={suggested}
        onChange={form.clearError}
      />
      <UnsavedNotice />
      <FormAlert message={form.error} takesFocus />
      <div className="flex justify-end gap-2">
        {onCancel ? <Button onClick={onCancel}>Cancel</Button> : null}
        <Button type="submit" variant="primary" busy={form.busy}>
          {action}
        </Button>
      </div>
    </form>
  );
}
