import { Lock } from "lucide-react";
import { Link } from "react-router";

import type { AdminSession } from "@miranda/contract/schemas/admin/sessions.ts";

/** Leads to the project, which administrators may open. */
export function ProjectName({ project }: { project: AdminSession["project"] }) {
  if (project === null) return <>deleted workflow</>;
  return (
    <>
      {project.is_private ? <Lock className="mr-1 inline size-3 align-[-1px]" aria-label="Private" /> : null}
      <Link to={`/designer/projects/${project.id}`} className="underline-offset-2 hover:underline">
        {project.name}
      </Link>
    </>
  );
}
