import type { Workflow } from "@miranda/contract/schemas/graphs.ts";

import { useWorkflowSearch } from "../../../api/graphs.ts";
import { debounce } from "../../../limits.ts";
import { useDebouncedText } from "../../../ui/form/use-debounced-text.ts";
import { SearchList } from "../../../ui/layout/search-list.tsx";

interface WorkflowSearchProps {
  /** A workflow that is not offered. */
  exclude: string;
  onChoose: (workflow: Workflow) => void;
}

/** Finds another workflow by its name or its project's name. */
export function WorkflowSearch({ exclude, onChoose }: WorkflowSearchProps) {
  const search = useDebouncedText(debounce.default);
  const query = search.committed.trim();
  const { items, error, isSearching, isPending, loadMore } = useWorkflowSearch(query);
  const found = error ? [] : items.filter(({ id }) => id !== exclude);
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
      chosen={undefined}
      onChoose={onChoose}
      renderItem={(workflow) => (
        <span dir="auto" className="block truncate">
          <span className="text-ink-muted">{workflow.parent.name}</span>
          {" > "}
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
