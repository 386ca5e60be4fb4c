import { toast } from "../../ui/overlay/toast.ts";

import type { DeletePreview, Project } from "@miranda/contract/schemas/projects.ts";

import { useDeletePreview, useProjectCalls } from "../../api/projects.ts";
import { ConfirmDialog } from "../../ui/overlay/confirm-dialog.tsx";
import { counted } from "../../ui/counted.ts";
import { EndedDeployments } from "./ended-deployments.tsx";

interface DeleteProjectDialogProps {
  project: Project;
  onClose: () => void;
  onDeleted?: () => void;
}

export function DeleteProjectDialog({ project, onClose, onDeleted }: DeleteProjectDialogProps) {
  const { remove } = useProjectCalls();
  const { data: preview } = useDeletePreview(`/api/v3/projects/${project.id}`);
  return (
    <ConfirmDialog
      title={`Delete ${project.name}`}
      text="Are you sure you want to delete this project? All graphs associated with this project will also be deleted. This action cannot be undone."
      action="Delete"
      onClose={onClose}
      onConfirm={async () => {
        await remove(project.id);
        toast.success("Project deleted.");
        onClose();
        onDeleted?.();
      }}
    >
      <p className="min-h-5.5 text-sm text-ink-muted">{preview ? contents(preview) : null}</p>
      {preview ? <EndedDeployments count={preview.deployments} titles={preview.deployment_titles} /> : null}
    </ConfirmDialog>
  );
}

function contents({ graphs, nodes, running_processors }: DeletePreview): string {
  if (graphs === 0) return "It has no graphs.";
  const running = running_processors > 0 ? ` ${counted(running_processors, "processor")} will be stopped.` : "";
  return `It has ${counted(graphs, "graph")} with ${counted(nodes, "node")}.${running}`;
}
