import { Workflow as WorkflowIcon } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";

import { byline, groupProjects } from "./search-groups.ts";
import type { Workflow } from "@miranda/contract/schemas/graphs.ts";
import type { Project } from "@miranda/contract/schemas/projects.ts";

import { graphAddress } from "../../api/graphs.ts";
import { useFoundProjects, useFoundWorkflows, useRecentProjects } from "../../api/search.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { includesText } from "../../ui/includes-text.ts";

const typingPause = 200;
const shownPerGroup = { untyped: 8, typed: 20 } as const;

export interface SearchResults {
  projects: readonly Project[];
  workflows: readonly Workflow[];
  busy: boolean;
  error: Error | null;
}

/** Loaded projects match at once; further results of the server follow. */
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

export interface SearchItem {
  value: string;
  icon: ReactNode;
  name: string;
  detail?: string;
  run: () => void;
}

export interface SearchSection {
  heading: string;
  items: readonly SearchItem[];
  /** There are more than these. */
  isCut?: boolean;
}

/** The results in the order in which they are shown. */
export function resultSections(
  { projects, workflows }: SearchResults,
  typed: boolean,
  open: (address: string) => void,
): SearchSection[] {
  const { yours, followed, shared } = groupProjects(projects);
  const most = typed ? shownPerGroup.typed : shownPerGroup.untyped;
  const section = <Item,>(heading: string, found: readonly Item[], item: (one: Item) => SearchItem): SearchSection => ({
    heading,
    items: found.slice(0, most).map(item),
    isCut: found.length > most,
  });
  const toItem = (project: Project) => projectItem(project, open);
  return [
    section("Your Projects", yours, toItem),
    section("Followed Projects", followed, toItem),
    section("Shared Projects", shared, toItem),
    section("Workflows", workflows, (workflow) => workflowItem(workflow, open)),
  ];
}

function projectItem(project: Project, open: (address: string) => void): SearchItem {
  return {
    value: `project ${project.id}`,
    icon: <Avatar name={project.created_by.first_name} src={project.created_by.avatar} size="sm" />,
    name: project.name,
    detail: byline(project),
    run: () => open(`/designer/projects/${project.id}`),
  };
}

function workflowItem(workflow: Workflow, open: (address: string) => void): SearchItem {
  return {
    value: `workflow ${workflow.id}`,
    icon: <WorkflowIcon className="size-4" aria-hidden="true" />,
    name: workflow.name,
    detail: workflow.parent.name,
    run: () => open(graphAddress(workflow.parent.id, workflow.id)),
  };
}

function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), typingPause);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}
