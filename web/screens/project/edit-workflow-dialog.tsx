import { useId, useState } from "react";
import { toast } from "../../ui/overlay/toast.ts";

import type { KnowledgeObject, Project } from "@miranda/contract/schemas/projects.ts";

import { useGraphCalls, useWholeWorkflow } from "../../api/graphs.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { FormAlert, TextAreaField, TextField } from "../../ui/form/field.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { ProjectPicker } from "../../shell/project/project-picker.tsx";

interface EditWorkflowDialogProps {
  projectId: string;
  workflow: KnowledgeObject;
  onClose: () => void;
}

export function EditWorkflowDialog({ projectId, workflow: listed, onClose }: EditWorkflowDialogProps) {
  const formId = useId();
  const { change } = useGraphCalls();
  const { whole, error } = useWholeWorkflow(listed);
  const [typed, setTyped] = useState<{ name?: string; description?: string }>({});
  const [destination, setDestination] = useState<Project | null>(null);
  const name = typed.name ?? (whole ?? listed).name;
  const description = typed.description ?? (whole ?? listed).description;

  const form = useForm(async () => {
    await change(projectId, listed.id, {
      name,
      // Do not save a description of which only the start is loaded.
      ...(whole && { description }),
      ...(destination && { dest_parent_id: destination.id }),
    });
    if (destination) toast.success(`Moved to ${destination.name}.`);
    onClose();
  });
  function type(change: typeof typed) {
    form.clearError();
    setTyped({ ...typed, ...change });
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Edit ${listed.name}`}
      description="Edit the name and description of this project."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={form.busy} disabled={name.trim() === ""}>
            Edit
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
        <TextField
          label="Name"
          dir="auto"
          autoComplete="off"
          value={name}
          onChange={(event) => type({ name: event.target.value })}
        />
        <TextAreaField
          label="Description"
          dir="auto"
          rows={5}
          value={description}
          readOnly={!whole}
          hint={whole ? "You can use Markdown." : error ? null : "The rest of this long description is being loaded."}
          error={error ? "This long description could not be loaded completely. It stays as it is." : undefined}
          onChange={(event) => type({ description: event.target.value })}
        />
        <ProjectPicker
          label="Move To"
          exclude={projectId}
          chosen={destination}
          onChoose={(project) => {
            form.clearError();
            setDestination(project);
          }}
        />
        <FormAlert message={form.error} takesFocus />
      </form>
    </Dialog>
  );
}
