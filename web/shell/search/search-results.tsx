import { type ReactNode, useEffect, useState } from "react";

import type { Project } from "@miranda/contract/schemas/projects.ts";
import type { SearchAnswer } from "@miranda/contract/schemas/search/search.ts";

import { appAddress } from "../../api/apps/apps.ts";
import { deploymentAddress } from "../../api/deployments/deployments.ts";
import { graphAddress } from "../../api/graphs.ts";
import { modelAddress } from "../../api/models/model.ts";
import { runAddress } from "../../api/runs/runs.ts";
import { useFound, useFoundProjects, useRecentProjects } from "../../api/search.ts";
import { relativeTime } from "../../format/relative-time.ts";
import { search as limits } from "../../limits.ts";
import { runLooks } from "../../panels/runs/run-looks.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { includesText } from "../../ui/includes-text.ts";
import { FindIcon } from "./find-kinds.tsx";
import type { Find } from "./recent-finds.ts";
import { byline, groupProjects } from "./search-groups.ts";

const typingPause = 200;
const shownPerGroup = { untyped: 8, typed: 20 } as const;

export interface SearchResults {
  projects: readonly Project[];
  found: SearchAnswer | undefined;
  busy: boolean;
  error: Error | null;
}

/** Loaded projects match at once; further results of the server follow. */
export function useSearchResults(text: string): SearchResults {
  const typed = text.trim().slice(0, limits.queryMax);
  const query = usePaused(typed);
  const recent = useRecentProjects();
  const projects = useFoundProjects(query);
  const found = useFound(query);
  const known = [...(recent.data ?? []), ...(query === "" ? [] : (projects.data ?? []))];
  return {
    projects: [...new Map(known.map((project) => [project.id, project])).values()].filter(({ name }) =>
      includesText(name, text),
    ),
    found: typed === "" ? undefined : found.data,
    busy: typed !== query || recent.isPending || projects.isFetching || found.isFetching,
    error: recent.error ?? projects.error ?? found.error,
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

/** Something found: where it leads, and how it is drawn. */
interface Shown extends Find {
  picture?: ReactNode;
}

/** The results in the order in which they are shown. */
export function resultSections(
  { projects, found, busy }: SearchResults,
  { text, recent }: { text: string; recent: readonly Find[] },
  open: (find: Find) => void,
): SearchSection[] {
  const typed = text.trim() !== "";
  const { yours, followed, shared } = groupProjects(projects);
  const most = typed ? shownPerGroup.typed : shownPerGroup.untyped;
  const section = (heading: string, finds: readonly Shown[]): SearchSection => ({
    heading,
    items: finds.slice(0, most).map(({ picture, ...find }) => ({
      value: `${heading} ${find.address}`,
      icon: picture ?? <FindIcon kind={find.kind} />,
      name: find.name,
      detail: find.detail,
      run: () => open(find),
    })),
    isCut: finds.length > most,
  });
  return [
    ...(typed ? [] : [section("Recent", recent)]),
    section("Your Projects", yours.map(projectFind)),
    section("Followed Projects", followed.map(projectFind)),
    section("Shared Projects", shared.map(projectFind)),
    ...(found ? foundSections(found, busy ? text : null).map(({ heading, finds }) => section(heading, finds)) : []),
  ];
}

function projectFind(project: Project): Shown {
  const { id, name, created_by } = project;
  return {
    kind: "project",
    name,
    detail: byline(project),
    address: `/designer/projects/${id}`,
    picture: <Avatar name={created_by.first_name} src={created_by.avatar} size="sm" />,
  };
}

/** While the server searches for a newer text, show only earlier results that contain that text. Null: it does not. */
function foundSections(found: SearchAnswer, newer: string | null): { heading: string; finds: Shown[] }[] {
  const { workflows, nodes, models, runs, deployments, people } = found;
  const fits = ({ name, detail }: Shown) => newer === null || includesText(`${name} ${detail}`, newer.trim());
  const named = (finds: Shown[]) => finds.filter(fits);
  return [
    {
      heading: "Workflows",
      finds: named(
        workflows.map(({ id, name, parent }) => ({
          ...{ kind: "workflow", name, detail: parent.name, address: graphAddress(parent.id, id) },
        })),
      ),
    },
    {
      heading: "Nodes",
      finds: named(
        nodes.map(({ metadata_id, name, graph, project_id }) => ({
          ...{ kind: "node", name, detail: graph.name },
          address: `${graphAddress(project_id, graph.id)}?node=${metadata_id}`,
        })),
      ),
    },
    {
      heading: "Models",
      finds: named(
        models.map(({ id, name, project_name }) => ({
          ...{ kind: "model", name, detail: project_name, address: modelAddress(id) },
        })),
      ),
    },
    {
      heading: "Runs",
      finds: named(
        runs.map(({ id, name, state, time_began }) => ({
          ...{ kind: "run", name, detail: `${runLooks[state].word}, ${relativeTime(time_began)}` },
          address: runAddress(id),
        })),
      ),
    },
    {
      heading: "Deployments",
      finds: named(
        deployments.map(({ name, title, page }) => ({
          ...{ kind: "deployment", name: title, detail: page ? name : "App" },
          address: page ? deploymentAddress(page.project_id, page.graph_id) : appAddress(name),
        })),
      ),
    },
    {
      heading: "People",
      finds: named(
        people.map(({ username, first_name, last_name, avatar }) => ({
          ...{ kind: "person", name: `${first_name} ${last_name}`, detail: username },
          address: `/designer/browse?by=${encodeURIComponent(username)}`,
          picture: <Avatar name={`${first_name} ${last_name}`} src={avatar} size="sm" />,
        })),
      ),
    },
  ];
}

function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), typingPause);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}
