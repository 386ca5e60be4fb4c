import { useId, useState } from "react";

import type { ModelDetails } from "@miranda/contract/schemas/models/versions.ts";

import { useModelActions } from "../../../api/models/model-actions.ts";
import { Button } from "../../../ui/button.tsx";
import { FormAlert, TextAreaField, TextField } from "../../../ui/form/field.tsx";
import { fieldText, useForm } from "../../../ui/form/use-form.ts";
import { Dialog } from "../../../ui/overlay/dialog.tsx";
import { changedTags, draftTags, type TagDraft, TagFields } from "./tag-fields.tsx";

interface EditModelDialogProps {
  model: ModelDetails;
  onClose: () => void;
}

/** Changes the name, the description and the tags of a model. */
export function EditModelDialog({ model, onClose }: EditModelDialogProps) {
  const id = useId();
  const { edit } = useModelActions(model.id);
  const [tags, setTags] = useState<TagDraft[]>(() => draftTags(model.tags));
  const form = useForm(async (data) => {
    const name = fieldText(data, "name").trim();
    await edit({
      ...(name === model.name ? {} : { name }),
      description: fieldText(data, "description"),
      ...changedTags(tags, model.tags),
    });
    onClose();
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Edit the model"
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
        <TextField
          label="Name"
          name="name"
          defaultValue={model.name}
          required
          hint="Code that loads the model by its name must be changed too."
        />
        <TextAreaField label="Description" name="description" defaultValue={model.description} optional />
        <TagFields tags={tags} onChange={setTags} />
        <FormAlert message={form.error} takesFocus />
      </form>
    </Dialog>
  );
}
