import { toast } from "../../ui/overlay/toast.ts";

import type { KnowledgeObject } from "@miranda/contract/schemas/projects.ts";

import { useGraphCalls } from "../../api/graphs.ts";
import { useDeletePreview } from "../../api/projects.ts";
import { EndedDeployments } from "../../shell/project/ended-deployments.tsx";
import { ConfirmDialog } from "../../ui/overlay/confirm-dialog.tsx";

interface DeleteWorkflowDialogProps {
  projectId: string;
  workflow: KnowledgeObject;
  onClose: () => void;
}

export function DeleteWorkflowDialog({ projectId, workflow, onClose }: DeleteWorkflowDialogProps) {
  const { remove } = useGraphCalls();
  const { data: preview } = useDeletePreview(`/api/v3/graphs/${workflow.id}`);
  return (
    <ConfirmDialog
      title={`Delete ${workflow.name}`}
      text="Are you sure you want to delete this graph? This action cannot be undone."
      action="Delete"
      onClose={onClose}
      onConfirm={async () => {
        await remove(projectId, workflow.id);
        toast.success("Workflow deleted.");
        onClose();
      }}
    >
      {preview ? <EndedDeployments count={preview.deployments} titles={preview.deployment_titles} /> : null}
    </ConfirmDialog>
  );
}
