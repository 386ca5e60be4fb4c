import { useState } from "react";
import { useNavigate } from "react-router";

import type { KnowledgeObject } from "@miranda/contract/schemas/projects.ts";
import type { ModelVersionDetails } from "@miranda/contract/schemas/models/versions.ts";

import { useModelActions } from "../../../api/models/model-actions.ts";
import { loadMore } from "../../../api/pages.ts";
import { useProjectWorkflows } from "../../../api/projects.ts";
import { debounce } from "../../../limits.ts";
import { Button } from "../../../ui/button.tsx";
import { FormAlert } from "../../../ui/form/field.tsx";
import { useDebouncedText } from "../../../ui/form/use-debounced-text.ts";
import { useForm } from "../../../ui/form/use-form.ts";
import { SearchList } from "../../../ui/layout/search-list.tsx";
import { Dialog } from "../../../ui/overlay/dialog.tsx";
import { toast } from "../../../ui/overlay/toast.ts";
import { oneLine } from "../../../ui/text/drawable-text.ts";
import { useOpenModel } from "../open-model.tsx";

interface InsertDialogProps {
  version: ModelVersionDetails;
  alias: string | undefined;
  onClose: () => void;
}

const formId = "insert-model";

/** Adds a node that predicts with the model to a workflow of its project. */
export function InsertDialog({ version, alias, onClose }: InsertDialogProps) {
  const { model } = useOpenModel();
  const { insert } = useModelActions(model.id);
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<KnowledgeObject | null>(null);
  const form = useForm(async () => {
    if (!chosen) return;
    const { address, name } = await insert(version.number, chosen.id, alias);
    toast.success(`“${name}” is in ${chosen.name} now.`);
    await navigate(address);
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Insert as a node"
      description={
        alias === undefined
          ? `The node loads version ${version.number}.`
          : `The node loads the version that has the alias “${alias}”.`
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={form.busy} disabled={chosen === null}>
            {chosen ? "Insert and open" : "Choose a workflow"}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={form.onSubmit} className="flex flex-col gap-3">
        <WorkflowList projectId={model.graph.project_id} chosen={chosen} onChoose={setChosen} />
        <FormAlert message={form.error} takesFocus />
      </form>
    </Dialog>
  );
}

interface WorkflowListProps {
  projectId: string;
  chosen: KnowledgeObject | null;
  onChoose: (workflow: KnowledgeObject) => void;
}

function WorkflowList({ projectId, chosen, onChoose }: WorkflowListProps) {
  const search = useDebouncedText(debounce.filter);
  const { data, error, isPending, isPlaceholderData, ...more } = useProjectWorkflows(
    projectId,
    search.committed.trim(),
  );
  const workflows = data?.items ?? [];
  const busy = isPending || isPlaceholderData || search.isWaiting;
  return (
    <SearchList
      label="Find a workflow"
      listLabel="Workflows of the project"
      text={search.text}
      onText={search.setText}
      onCommit={search.commit}
      items={workflows}
      itemKey={({ id }) => id}
      chosen={chosen?.id}
      onChoose={onChoose}
      renderItem={({ name }) => (
        <span dir="auto" className="min-w-0 truncate">
          {oneLine(name)}
        </span>
      )}
      busy={busy}
      status={
        workflows.length > 0 ? null : (
          <p className="px-2.5 pt-3 pb-2 text-ink-muted">
            {error ? error.message : busy ? "Searching..." : "The project has no such workflow."}
          </p>
        )
      }
      onEndNear={() => loadMore(more)}
    />
  );
}
