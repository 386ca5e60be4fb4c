import { useQuery } from "@tanstack/react-query";
import { ChevronsUpDown } from "lucide-react";
import { useState } from "react";

import { useWorkflowSearch, workflowQuery } from "../../api/graphs.ts";
import { debounce } from "../../limits.ts";
import { useDebouncedText } from "../../ui/form/use-debounced-text.ts";
import { SearchList } from "../../ui/layout/search-list.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { Button } from "../../ui/button.tsx";

interface WorkflowFilterProps {
  graphId: string;
  projectId: string | undefined;
  onChange: (graphId: string) => void;
}

/** Limits the list to one workflow. */
export function WorkflowFilter({ graphId, projectId, onChange }: WorkflowFilterProps) {
  const [isOpen, setOpen] = useState(false);
  const { data: workflow } = useQuery({ ...workflowQuery(graphId), enabled: graphId !== "" });
  const choose = (id: string) => {
    setOpen(false);
    onChange(id);
  };
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        className="flex h-9 max-w-56 min-w-0 items-center gap-2 rounded-md border border-line-strong bg-surface px-3 text-lg hover:border-ink-faint sm:text-base"
      >
        <span dir="auto" className="truncate">
          {graphId === "" ? "Any workflow" : (workflow?.name ?? "One workflow")}
        </span>
        <ChevronsUpDown className="size-4 shrink-0 text-ink-faint" aria-hidden="true" />
      </button>
      {isOpen ? (
        <Dialog
          open
          onOpenChange={setOpen}
          title="Runs of a workflow"
          footer={graphId === "" ? null : <Button onClick={() => choose("")}>Any workflow</Button>}
        >
          <Found projectId={projectId} chosen={graphId} onChoose={choose} />
        </Dialog>
      ) : null}
    </>
  );
}

interface FoundProps {
  projectId: string | undefined;
  chosen: string;
  onChoose: (graphId: string) => void;
}

function Found({ projectId, chosen, onChoose }: FoundProps) {
  const search = useDebouncedText(debounce.filter);
  const query = search.committed.trim();
  const { items, error, isSearching, isPending, loadMore } = useWorkflowSearch(query);
  const found = error ? [] : items.filter(({ parent }) => projectId === undefined || parent.id === projectId);
  const busy = search.text.trim() !== query || isSearching;
  return (
    <SearchList
      label="Search for workflows"
      listLabel="Workflows"
      text={search.text}
      onText={search.setText}
      onCommit={search.commit}
      items={found}
      itemKey={({ id }) => id}
      chosen={chosen}
      onChoose={({ id }) => onChoose(id)}
      renderItem={(workflow) => (
        <span dir="auto" className="block truncate">
          {projectId === undefined ? (
            <span className="text-ink-muted">
              {workflow.parent.name} {"> "}
            </span>
          ) : null}
          <span className="font-medium">{workflow.name}</span>
        </span>
      )}
      busy={busy}
      status={
        error && !busy ? (
          <p role="alert" className="px-2.5 py-3 text-danger-text">
            {error.message}
          </p>
        ) : found.length === 0 ? (
          <p className="px-2.5 py-3 text-ink-muted">{busy || isPending ? "Searching…" : "No workflows found."}</p>
        ) : null
      }
      focusOnOpen
      onEndNear={loadMore}
    />
  );
}
