import { useId, useState } from "react";

import type { Project } from "@miranda/contract/schemas/projects.ts";

import { useFreshProject, useProjectCalls } from "../../api/projects.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { FormAlert, TextAreaField, TextField } from "../../ui/form/field.tsx";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { useForm } from "../../ui/form/use-form.ts";

interface EditProjectDialogProps {
  project: Project;
  onClose: () => void;
}

/**
 * Loads the whole project first: lists have only the start of a long description, and saving that would lose the rest.
 */
export function EditProjectDialog({ project: listed, onClose }: EditProjectDialogProps) {
  const { data, error, isFetchedAfterMount, refetch, isFetching } = useFreshProject(listed.id);
  const whole = isFetchedAfterMount && !error ? data?.project : undefined;
  const formId = useId();
  const { change } = useProjectCalls();
  const [typed, setTyped] = useState<{ name?: string; description?: string }>({});
  const name = typed.name ?? (whole ?? listed).name;
  const description = typed.description ?? (whole ?? listed).description;
  const loaded = whole !== undefined || Object.keys(typed).length > 0;

  const form = useForm(async () => {
    await change(listed.id, { name, description });
    onClose();
  });
  function type(change: typeof typed) {
    form.clearError();
    setTyped({ name, description, ...change });
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Edit ${listed.name}`}
      description="Edit the name and description of this project."
      footer={
        <>
          {loaded || error ? null : <Spinner label="Loading the project" className="mr-auto" />}
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={formId}
            variant="primary"
            busy={form.busy}
            disabled={!loaded || name.trim() === ""}
          >
            Edit
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
        {error && !loaded ? (
          <div className="flex items-center gap-3">
            <div className="flex-1">
              <FormAlert message={error.message} />
            </div>
            <Button size="sm" busy={isFetching} onClick={() => refetch()}>
              Try again
            </Button>
          </div>
        ) : null}
        <TextField
          label="Name"
          dir="auto"
          value={name}
          readOnly={!loaded}
          autoComplete="off"
          onChange={(event) => type({ name: event.target.value })}
        />
        <TextAreaField
          label="Description"
          dir="auto"
          rows={6}
          value={description}
          readOnly={!loaded}
          hint="You can use Markdown."
          onChange={(event) => type({ description: event.target.value })}
        />
        <FormAlert message={form.error} takesFocus />
      </form>
    </Dialog>
  );
}
