import { Workflow } from "lucide-react";
import { useId, useState } from "react";

import type { KnowledgeObject, Project } from "@miranda/contract/schemas/projects.ts";

import { loadMore } from "../../api/pages.ts";
import { useProjectWorkflows } from "../../api/projects.ts";
import { shownTotal } from "../../format/list-total.ts";
import { debounce } from "../../limits.ts";
import { HandbookLink } from "../../shell/handbook-link.tsx";
import { EmptyState } from "../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { useDebouncedText } from "../../ui/form/use-debounced-text.ts";
import { SearchField } from "../../ui/form/search-field.tsx";
import { VirtualGrid } from "../../ui/layout/virtual-grid.tsx";
import { DeleteWorkflowDialog } from "./delete-workflow-dialog.tsx";
import { EditWorkflowDialog } from "./edit-workflow-dialog.tsx";
import { WorkflowItem } from "./workflow-item.tsx";

// With fewer workflows, looking is faster than typing.
const filterFrom = 10;

export function WorkflowList({ project }: { project: Project }) {
  const id = useId();
  const filter = useDebouncedText(debounce.filter);
  const query = filter.committed.trim();
  const { data, error, isPending, isFetching, isPlaceholderData, refetch, ...more } = useProjectWorkflows(
    project.id,
    query,
  );
  const [editing, setEditing] = useState<KnowledgeObject | null>(null);
  const [deleting, setDeleting] = useState<KnowledgeObject | null>(null);
  const writable = project.access !== "viewer";
  const workflows = data?.items ?? [];
  const isFiltered = filter.text !== "" || query !== "";

  return (
    <section aria-labelledby={id} className="min-w-0">
      <div className="mb-4 flex min-h-9 flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <h2 id={id} className="flex items-baseline gap-2 text-xl font-semibold">
          Workflows
          {data?.total !== undefined && workflows.length > 0 ? (
            <span className="text-base font-normal text-ink-faint tabular-nums">{shownTotal(data.total)}</span>
          ) : null}
        </h2>
        {workflows.length >= filterFrom || isFiltered ? (
          <SearchField
            label="Filter workflows"
            value={filter.text}
            onChange={(event) => filter.setText(event.target.value)}
            busy={filter.isWaiting || isPlaceholderData}
            className="w-full sm:w-64"
          />
        ) : null}
      </div>
      {isPending ? <Spinner label="Loading workflows" showLabel className="py-8" /> : null}
      {!data && error ? (
        <LoadFailure
          title="The workflows could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      ) : null}
      {data && workflows.length === 0 && query === "" ? (
        <EmptyState
          icon={Workflow}
          title="No graphs yet"
          action={<HandbookLink page="first-workflow">Your first workflow, step by step</HandbookLink>}
        >
          {writable ? "Add a workflow to start building." : "Nothing has been built here so far."}
        </EmptyState>
      ) : null}
      {data && workflows.length === 0 && query !== "" ? (
        <p className="rounded-lg border border-line bg-surface px-4 py-8 text-center text-ink-muted">
          No workflow has “{query}” in its name or description.
        </p>
      ) : null}
      {workflows.length > 0 ? (
        <VirtualGrid
          label="Workflows"
          items={workflows}
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
          onEndNear={() => loadMore(more)}
        />
      ) : null}
      {more.isFetchingNextPage ? <Spinner label="Loading more workflows" showLabel className="py-4" /> : null}
      {more.isFetchNextPageError ? (
        <LoadFailure
          title="No more workflows could be loaded"
          message={error?.message ?? ""}
          onRetry={() => void more.fetchNextPage()}
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
