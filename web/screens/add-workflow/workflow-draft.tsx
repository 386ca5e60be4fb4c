import { TextAreaField, TextField } from "../../ui/form/field.tsx";

export interface WorkflowDraft {
  name: string;
  description: string;
}

export const emptyDraft: WorkflowDraft = { name: "", description: "" };

interface DraftFieldsProps {
  draft: WorkflowDraft;
  onChange: (change: Partial<WorkflowDraft>) => void;
  descriptionOptional?: boolean;
  /** While it is being sent: changes would come too late. */
  frozen?: boolean;
}

export function DraftFields({ draft, onChange, descriptionOptional = false, frozen = false }: DraftFieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        placeholder="Model Training"
        dir="auto"
        autoComplete="off"
        value={draft.name}
        readOnly={frozen}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <TextAreaField
        label="Description"
        placeholder="This Workflow is for..."
        dir="auto"
        optional={descriptionOptional}
        hint="You can use Markdown."
        value={draft.description}
        readOnly={frozen}
        onChange={(event) => onChange({ description: event.target.value })}
      />
    </>
  );
}
