import { Command } from "cmdk";
import { Workflow as WorkflowIcon } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";

import { byline, groupProjects } from "@miranda/contract/search-groups.ts";
import type { Workflow } from "@miranda/contract/schemas/graphs.ts";
import type { Project } from "@miranda/contract/schemas/projects.ts";

import { graphAddress } from "../api/graphs.ts";
import { useFoundProjects, useFoundWorkflows, useRecentProjects } from "../api/search.ts";
import { Avatar } from "../ui/avatar.tsx";
import { includesText } from "../ui/includes-text.ts";

const typingPause = 200;
const shownPerGroup = { untyped: 8, typed: 20 } as const;

export interface SearchResults {
  projects: readonly Project[];
  workflows: readonly Workflow[];
  busy: boolean;
  error: Error | null;
}

/** What is known matches at once; what the server finds beyond that follows. */
export function useSearchResults(text: string): SearchResults {
  const query = usePaused(text.trim());
  const recent = useRecentProjects();
  const projects = useFoundProjects(query);
  const workflows = useFoundWorkflows(query);
  const waiting = text.trim() !== query;
  const known = [...(recent.data ?? []), ...(query === "" ? [] : (projects.data ?? []))];
  return {
    projects: [...new Map(known.map((project) => [project.id, project])).values()].filter(({ name }) =>
      includesText(name, text),
    ),
    workflows: text.trim() === "" ? [] : (workflows.data ?? []).filter(({ name }) => includesText(name, text)),
    busy: waiting || recent.isPending || projects.isFetching || workflows.isFetching,
    error: recent.error ?? projects.error ?? workflows.error,
  };
}

const groupLook =
  "**:[[cmdk-group-heading]]:px-2.5 **:[[cmdk-group-heading]]:py-1.5 **:[[cmdk-group-heading]]:text-xs " +
  "**:[[cmdk-group-heading]]:font-medium **:[[cmdk-group-heading]]:text-ink-faint";

export function SearchGroup({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Command.Group heading={heading} className={groupLook}>
      {children}
    </Command.Group>
  );
}

interface SearchItemProps {
  value: string;
  icon: ReactNode;
  name: string;
  detail?: string;
  onSelect: () => void;
}

export function SearchItem({ value, icon, name, detail, onSelect }: SearchItemProps) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex h-10 cursor-default items-center gap-3 rounded-md px-2.5 select-none data-[selected=true]:bg-hover"
    >
      <span className="grid w-6 shrink-0 place-items-center text-ink-muted">{icon}</span>
      <span dir="auto" className="min-w-0 truncate">
        {name}
      </span>
      {detail ? (
        <span dir="auto" className="ml-auto max-w-2/5 shrink-0 truncate pl-2 text-sm text-ink-faint">
          {detail}
        </span>
      ) : null}
    </Command.Item>
  );
}

interface SearchResultGroupsProps {
  results: SearchResults;
  typed: boolean;
  onOpen: (address: string) => void;
}

export function SearchResultGroups({ results, typed, onOpen }: SearchResultGroupsProps) {
  const { yours, followed, shared } = groupProjects(results.projects);
  const most = typed ? shownPerGroup.typed : shownPerGroup.untyped;
  const groups = [
    ["Your Projects", yours],
    ["Followed Projects", followed],
    ["Shared Projects", shared],
  ] as const;
  const workflows = results.workflows.slice(0, most);
  return (
    <>
      {groups.map(([heading, projects]) =>
        projects.length > 0 ? (
          <SearchGroup key={heading} heading={heading}>
            {projects.slice(0, most).map((project) => (
              <SearchItem
                key={project.id}
                value={`project ${project.id}`}
                icon={<Avatar name={project.created_by.first_name} src={project.created_by.avatar} size="sm" />}
                name={project.name}
                detail={byline(project)}
                onSelect={() => onOpen(`/designer/projects/${project.id}`)}
              />
            ))}
          </SearchGroup>
        ) : null,
      )}
      {workflows.length > 0 ? (
        <SearchGroup heading="Workflows">
          {workflows.map((workflow) => (
            <SearchItem
              key={workflow.id}
              value={`workflow ${workflow.id}`}
              icon={<WorkflowIcon className="size-4" aria-hidden="true" />}
              name={workflow.name}
              detail={workflow.parent.name}
              onSelect={() => onOpen(graphAddress(workflow.parent.id, workflow.id))}
            />
          ))}
        </SearchGroup>
      ) : null}
    </>
  );
}

function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), typingPause);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}
