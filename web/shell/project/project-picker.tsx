import { useState } from "react";

import { debounce } from "../../limits.ts";
import { byline } from "../search/search-groups.ts";
import type { Project } from "@miranda/contract/schemas/projects.ts";

import { loadMore } from "../../api/pages.ts";
import { useWritableProjects } from "../../api/projects.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Picker } from "../../ui/overlay/picker.tsx";
import { SearchList } from "../../ui/layout/search-list.tsx";
import { useDebouncedText } from "../../ui/form/use-debounced-text.ts";

interface ProjectPickerProps {
  label: string;
  placeholder?: string;
  /** A project that is not offered. */
  exclude?: string;
  chosen: Project | null;
  onChoose: (project: Project | null) => void;
}

/** Chooses one of the projects that this person may change. */
export function ProjectPicker({
  label,
  placeholder = "Choose a project",
  exclude,
  chosen,
  onChoose,
}: ProjectPickerProps) {
  const [open, setOpen] = useState(false);
  const search = useDebouncedText(debounce.default);
  const query = search.committed.trim();
  const { data, error, isFetching, ...more } = useWritableProjects(query);
  const busy = search.text.trim() !== query || (isFetching && !more.isFetchingNextPage);
  const found = query === "" || error ? [] : (data?.items ?? []).filter(({ id }) => id !== exclude);

  return (
    <Picker label={label} placeholder={placeholder} value={chosen?.name} open={open} onOpenChange={setOpen}>
      <SearchList
        label="Search..."
        listLabel="Projects"
        text={search.text}
        onText={search.setText}
        onCommit={search.commit}
        items={found}
        itemKey={({ id }) => id}
        chosen={chosen?.id}
        onChoose={(project) => {
          onChoose(project.id === chosen?.id ? null : project);
          setOpen(false);
        }}
        renderItem={(project) => <FoundProject project={project} />}
        busy={busy}
        status={<Status query={query} busy={busy} error={error} count={found.length} />}
        onEscape={() => setOpen(false)}
        focusOnOpen
        onEndNear={() => loadMore(more)}
      />
    </Picker>
  );
}

function FoundProject({ project }: { project: Project }) {
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      <Avatar name={project.created_by.first_name} src={project.created_by.avatar} size="sm" />
      <span dir="auto" className="min-w-0 flex-1 truncate">
        {project.name}
      </span>
      <span className="shrink-0 text-xs text-ink-faint">{byline(project)}</span>
    </span>
  );
}

interface StatusProps {
  query: string;
  busy: boolean;
  error: Error | null;
  count: number;
}

function Status({ query, busy, error, count }: StatusProps) {
  if (error && !busy) {
    return (
      <p role="alert" className="px-2.5 pt-3 pb-2 text-danger-text">
        {error.message}
      </p>
    );
  }
  if (count > 0) return null;
  const text = query === "" ? "Start typing to search." : busy ? "Searching..." : "No results.";
  return <p className="px-2.5 pt-3 pb-2 text-ink-muted">{text}</p>;
}
