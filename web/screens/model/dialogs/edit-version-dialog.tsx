import { useId, useState } from "react";

import type { ModelVersion, PatchModelVersionBody } from "@miranda/contract/schemas/models/versions.ts";

import { useModelActions } from "../../../api/models/model-actions.ts";
import { Button } from "../../../ui/button.tsx";
import { FormAlert, SelectField, TextAreaField } from "../../../ui/form/field.tsx";
import { fieldText, useForm } from "../../../ui/form/use-form.ts";
import { Dialog } from "../../../ui/overlay/dialog.tsx";
import { changedTags, draftTags, TagFields } from "./tag-fields.tsx";

interface EditVersionDialogProps {
  modelId: string;
  version: ModelVersion;
  onClose: () => void;
}

const stages = ["None", "Staging", "Production", "Archived"] as const;

/** Changes the description, the stage and the tags of a version. */
export function EditVersionDialog({ modelId, version, onClose }: EditVersionDialogProps) {
  const id = useId();
  const { editVersion } = useModelActions(modelId);
  const [tags, setTags] = useState(() => draftTags(version.tags));
  const form = useForm(async (data) => {
    const stage = stages.find((one) => one === fieldText(data, "stage"));
    const patch: PatchModelVersionBody = {
      description: fieldText(data, "description"),
      ...changedTags(tags, version.tags),
      ...(stage && { stage }),
    };
    await editVersion(version.number, patch);
    onClose();
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Edit version ${version.number}`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={id} variant="primary" busy={form.busy}>
            Save
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={form.onSubmit} className="flex flex-col gap-4">
        <TextAreaField label="Description" name="description" defaultValue={version.description} optional />
        <SelectField
          label="Stage"
          name="stage"
          defaultValue={version.stage}
          hint="For code that still loads models by stage. Aliases do more."
        >
          {stages.map((stage) => (
            <option key={stage}>{stage}</option>
          ))}
        </SelectField>
        <TagFields tags={tags} onChange={setTags} />
        <FormAlert message={form.error} takesFocus />
      </form>
    </Dialog>
  );
}
