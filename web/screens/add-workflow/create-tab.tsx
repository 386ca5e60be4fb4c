import { useNavigate } from "react-router";

import { graphAddress, useGraphCalls } from "../../api/graphs.ts";
import { Button } from "../../ui/button.tsx";
import { FormAlert } from "../../ui/form/field.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { DraftFields, type WorkflowDraft } from "./workflow-draft.tsx";

interface CreateTabProps {
  projectId: string;
  draft: WorkflowDraft;
  onDraft: (draft: WorkflowDraft) => void;
}

export function CreateTab({ projectId, draft, onDraft }: CreateTabProps) {
  const navigate = useNavigate();
  const { create } = useGraphCalls();
  const form = useForm(async () => {
    const id = await create({ ...draft, project_id: projectId });
    await navigate(graphAddress(projectId, id));
  });

  return (
    <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-5">
      <DraftFields
        draft={draft}
        descriptionOptional
        onChange={(change) => {
          form.clearError();
          onDraft({ ...draft, ...change });
        }}
      />
      <FormAlert message={form.error} takesFocus />
      <div className="flex justify-end">
        <Button type="submit" variant="primary" busy={form.busy} disabled={draft.name.trim() === ""}>
          Create Workflow
        </Button>
      </div>
    </form>
  );
}
