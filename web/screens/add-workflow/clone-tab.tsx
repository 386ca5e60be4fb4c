import { useNavigate } from "react-router";

import { debounce } from "../../limits.ts";
import type { Workflow } from "@miranda/contract/schemas/graphs.ts";

import { graphAddress, useGraphCalls, useWorkflowSearch } from "../../api/graphs.ts";
import { isShortSearch } from "../../format/list-total.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/layout/card.tsx";
import { FormAlert } from "../../ui/form/field.tsx";
import { plainMarkdown } from "../../ui/markdown/plain-markdown.ts";
import { SearchList } from "../../ui/layout/search-list.tsx";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { useDebouncedText } from "../../ui/form/use-debounced-text.ts";
import { useForm } from "../../ui/form/use-form.ts";

export interface CloneSearch {
  text: string;
  chosen: Workflow | null;
}

export const nothingSearched: CloneSearch = { text: "", chosen: null };

interface CloneTabProps {
  projectId: string;
  search: CloneSearch;
  onSearch: (search: CloneSearch) => void;
}

export function CloneTab({ projectId, search: kept, onSearch }: CloneTabProps) {
  const navigate = useNavigate();
  const { clone } = useGraphCalls();
  const { chosen } = kept;
  const search = useDebouncedText(debounce.default, kept.text);
  const query = search.committed.trim();
  const { items: found, error, isSearching, isPending, hasMore, loadMore } = useWorkflowSearch(query);
  const busy = search.text.trim() !== query || isSearching;

  const form = useForm(async () => {
    if (!chosen) return;
    const id = await clone(chosen.id, projectId);
    await navigate(graphAddress(projectId, id));
  });
  function keep(change: Partial<CloneSearch>) {
    form.clearError();
    onSearch({ ...kept, ...change });
  }

  return (
    <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-5">
      <SearchList
        label="Search for Workflows"
        listLabel="Workflows"
        text={search.text}
        onText={(text) => {
          search.setText(text);
          keep({ text });
        }}
        onCommit={search.commit}
        items={error ? [] : found}
        itemKey={({ id }) => id}
        chosen={chosen?.id}
        onChoose={(workflow) => keep({ chosen: workflow.id === chosen?.id ? null : workflow })}
        renderItem={(workflow) => <FoundWorkflow workflow={workflow} />}
        busy={busy}
        status={
          <Status query={query} error={error} busy={busy} pending={isPending} count={found.length} hasMore={hasMore} />
        }
        onEndNear={loadMore}
      />
      {chosen && !found.some(({ id }) => id === chosen.id) ? (
        <Card className="px-3 py-2">
          <p className="mb-0.5 text-xs text-ink-faint">Selected</p>
          <FoundWorkflow workflow={chosen} />
        </Card>
      ) : null}
      <FormAlert message={form.error} takesFocus />
      <div className="flex justify-end">
        <Button type="submit" variant="primary" busy={form.busy} disabled={chosen === null}>
          Import Workflow
        </Button>
      </div>
    </form>
  );
}

function FoundWorkflow({ workflow }: { workflow: Workflow }) {
  return (
    <>
      <p dir="auto" className="wrap-anywhere">
        <span className="text-ink-muted">{workflow.parent.name}</span>
        {" > "}
        <span className="font-medium">{workflow.name}</span>
      </p>
      {workflow.description ? (
        <p dir="auto" className="line-clamp-2 text-sm text-ink-muted wrap-anywhere">
          {plainMarkdown(workflow.description)}
        </p>
      ) : null}
    </>
  );
}

interface StatusProps {
  query: string;
  error: Error | null;
  busy: boolean;
  pending: boolean;
  count: number;
  hasMore: boolean;
}

function Status({ query, error, busy, pending, count, hasMore }: StatusProps) {
  if (pending) return <Spinner label="Searching" showLabel className="px-2.5 py-6" />;
  if (error && !busy) {
    return (
      <p role="alert" className="px-2.5 py-6 text-danger-text">
        {error.message}
      </p>
    );
  }
  if (count === 0) return <p className="px-2.5 py-6 text-ink-muted">{busy ? "Searching..." : "No Workflows found."}</p>;
  if (isShortSearch(query)) return <Hint>These are among the newest. Type three letters to search all workflows.</Hint>;
  return hasMore ? <Hint>Your own come first. Scroll for more, or type more to narrow them.</Hint> : null;
}

function Hint({ children }: { children: string }) {
  return <p className="px-2.5 pt-2 text-xs text-ink-faint">{children}</p>;
}
