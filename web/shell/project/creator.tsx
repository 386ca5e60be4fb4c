import { byline } from "../search/search-groups.ts";
import type { Project } from "@miranda/contract/schemas/projects.ts";

import { Avatar } from "../../ui/avatar.tsx";

/** The owner of a project. */
export function CreatorLine({ project }: { project: Pick<Project, "created_by" | "following"> }) {
  return (
    <span className="flex min-w-0 items-center gap-2 text-sm text-ink-muted">
      <Avatar name={project.created_by.first_name} src={project.created_by.avatar} size="sm" />
      <span className="truncate">{byline(project)}</span>
    </span>
  );
}
