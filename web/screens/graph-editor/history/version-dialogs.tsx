import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";

import { formText } from "@miranda/contract/limits.ts";
import type { Project } from "@miranda/contract/schemas/projects.ts";
import type { Version } from "@miranda/contract/schemas/versions.ts";

import { graphAddress, useWorkflowName } from "../../../api/graphs.ts";
import { useProject } from "../../../api/projects.ts";
import { deleteVersion, refreshVersions, workflowFromVersion } from "../../../api/versions.ts";
import { ProjectPicker } from "../../../shell/project/project-picker.tsx";
import { fieldText, useForm } from "../../../ui/form/use-form.ts";
import { ConfirmDialog } from "../../../ui/overlay/confirm-dialog.tsx";
import { toast } from "../../../ui/overlay/toast.ts";
import { versionTitle } from "./timeline-rows.ts";
import { historyAddress } from "./version-addresses.ts";
import { VersionFormDialog } from "./version-form-dialog.tsx";

interface VersionDialogProps {
  projectId: string;
  version: Version;
  onClose: () => void;
}

export function DeleteVersionDialog({ projectId, version, onClose }: VersionDialogProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title={`Delete “${version.name}”`}
      text="Nobody can look at this version or restore it afterwards. The workflow as it is now stays. This cannot be undone."
      action="Delete version"
      onConfirm={async () => {
        await deleteVersion(version.graph_id, version.id);
        refreshVersions(client, version.graph_id);
        onClose();
        await navigate(historyAddress(projectId, version.graph_id));
        toast.success(`Deleted “${version.name}”.`);
      }}
      onClose={onClose}
    />
  );
}

export function NewWorkflowDialog({ projectId, version, onClose }: VersionDialogProps) {
  const navigate = useNavigate();
  const workflow = useWorkflowName(projectId, version.graph_id);
  const { data: details } = useProject(projectId);
  const [destination, setDestination] = useState<Project | null>(null);
  const form = useForm(async (data) => {
    const target = destination?.id ?? projectId;
    const { id } = await workflowFromVersion(version.graph_id, version.id, {
      project_id: target,
      name: fieldText(data, "name"),
    });
    onClose();
    await navigate(graphAddress(target, id));
  });
  return (
    <VersionFormDialog
      title="New workflow from this version"
      description="The new workflow starts as this version. Values of secrets are not copied."
      action="Create workflow"
      form={form}
      defaultName={[workflow, versionTitle(version)].filter(Boolean).join(", ").slice(0, formText.nameMax)}
      onClose={onClose}
    >
      <ProjectPicker
        label="Project"
        placeholder={details?.project.name ?? "This project"}
        exclude={projectId}
        chosen={destination}
        onChoose={(project) => {
          form.clearError();
          setDestination(project);
        }}
      />
    </VersionFormDialog>
  );
}
