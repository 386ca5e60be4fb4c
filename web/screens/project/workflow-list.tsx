import { Workflow } from "lucide-react";
import { useId, useMemo, useState } from "react";

import type { KnowledgeObject, Project } from "@miranda/contract/schemas/projects.ts";

import { EmptyState } from "../../ui/layout/empty-state.tsx";
import { includesText } from "../../ui/includes-text.ts";
import { SearchField } from "../../ui/form/search-field.tsx";
import { VirtualGrid } from "../../ui/layout/virtual-grid.tsx";
import { DeleteWorkflowDialog } from "./delete-workflow-dialog.tsx";
import { EditWorkflowDialog } from "./edit-workflow-dialog.tsx";
import { WorkflowItem } from "./workflow-item.tsx";

// With fewer workflows, looking is faster than typing.
const filterFrom = 10;

interface WorkflowListProps {
  project: Project;
  workflows: readonly KnowledgeObject[];
}

export function WorkflowList({ project, workflows }: WorkflowListProps) {
  const id = useId();
  const [filter, setFilter] = useState("");
  const [editing, setEditing] = useState<KnowledgeObject | null>(null);
  const [deleting, setDeleting] = useState<KnowledgeObject | null>(null);
  const writable = project.access !== "viewer";
  const shown = useMemo(() => matching(workflows, filter), [workflows, filter]);

  return (
    <section aria-labelledby={id} className="min-w-0">
      <div className="mb-4 flex min-h-9 flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <h2 id={id} className="flex items-baseline gap-2 text-xl font-semibold">
          Workflows
          {workflows.length > 0 ? (
            <span className="text-base font-normal text-ink-faint tabular-nums">
              {workflows.length.toLocaleString("en")}
            </span>
          ) : null}
        </h2>
        {workflows.length >= filterFrom ? (
          <SearchField
            label="Filter workflows"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
            className="w-full sm:w-64"
          />
        ) : null}
      </div>
      {workflows.length === 0 ? (
        <EmptyState icon={Workflow} title="No graphs yet">
          {writable ? "Add a workflow to start building." : "Nothing has been built here so far."}
        </EmptyState>
      ) : null}
      {workflows.length > 0 && shown.length === 0 ? (
        <p className="rounded-lg border border-line bg-surface px-4 py-8 text-center text-ink-muted">
          No workflow has “{filter.trim()}” in its name or description.
        </p>
      ) : null}
      {shown.length > 0 ? (
        <VirtualGrid
          label="Workflows"
          items={shown}
          itemKey={(workflow) => workflow.id}
          renderItem={(workflow) => (
            <WorkflowItem
              projectId={project.id}
              workflow={workflow}
              writable={writable}
              onEdit={() => setEditing(workflow)}
              onDelete={() => setDeleting(workflow)}
            />
          )}
          columns={1}
          gap={8}
          rowHeight={74}
        />
      ) : null}
      {editing ? (
        <EditWorkflowDialog projectId={project.id} workflow={editing} onClose={() => setEditing(null)} />
      ) : null}
      {deleting ? (
        <DeleteWorkflowDialog projectId={project.id} workflow={deleting} onClose={() => setDeleting(null)} />
      ) : null}
    </section>
  );
}

function matching(workflows: readonly KnowledgeObject[], filter: string): readonly KnowledgeObject[] {
  if (filter.trim() === "") return workflows;
  return workflows.filter(({ name, description }) => includesText(`${name}\n${description}`, filter));
}
