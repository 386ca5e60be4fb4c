import { Lock } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";

import type { Project } from "@miranda/contract/schemas/projects.ts";

import { Card } from "../../ui/layout/card.tsx";
import { classes } from "../../ui/classes.ts";

interface ProjectCardProps {
  project: Project;
  /** The start of the description, in the length of this list. */
  preview: string;
  /** The owner of the project. */
  footer?: ReactNode;
  /** In the upper corner, above the link. */
  corner?: ReactNode;
  /** At the right of the footer, above the link. */
  action?: ReactNode;
  /** For an action that refers to the project's name. */
  nameId?: string;
}

/** A card that links to its project as a whole. Its buttons lie above the link and do not navigate. */
export function ProjectCard({ project, preview, footer, corner, action, nameId }: ProjectCardProps) {
  return (
    <Card
      data-testid="project-card"
      className="group relative flex min-w-0 flex-col transition-colors hover:border-line-strong"
    >
      <div className="flex flex-1 flex-col gap-1.5 p-4">
        <h3 dir="auto" className={classes("line-clamp-3 font-semibold wrap-anywhere", corner ? "mr-16" : null)}>
          <Link
            id={nameId}
            to={`/designer/projects/${project.id}`}
            className="group-hover:text-accent-text before:absolute before:inset-0 before:rounded-lg focus-visible:outline-none focus-visible:before:outline-2 focus-visible:before:outline-(--ring)"
          >
            {project.name}
          </Link>
          {project.visibility === "private" ? (
            <>
              <Lock className="ms-1.5 inline size-3.5 align-[-0.1em] text-ink-faint" aria-hidden="true" />
              <span className="sr-only">Private</span>
            </>
          ) : null}
        </h3>
        {preview ? (
          <p dir="auto" data-testid="project-description" className="text-sm text-ink-muted wrap-anywhere">
            {preview}
          </p>
        ) : null}
        {footer ? (
          <span className={classes("mt-auto box-content flex h-7 items-center pt-2", action ? "pr-28" : null)}>
            {footer}
          </span>
        ) : null}
      </div>
      {corner ? <div className="absolute top-2.5 right-2.5 flex">{corner}</div> : null}
      {action ? <div className="absolute right-4 bottom-4">{action}</div> : null}
    </Card>
  );
}
