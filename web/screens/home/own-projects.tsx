import { FolderPlus, ListChecks, Pencil, Plus, Trash2 } from "lucide-react";
import { Suspense, useState } from "react";
import { Link } from "react-router";

import type { Project } from "@miranda/contract/schemas/projects.ts";

import { useOwnProjects } from "../../api/projects.ts";
import { lazyPart } from "../../load-part.ts";
import { ProjectCard } from "../../shell/project/project-card.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { HandbookLink } from "../../shell/handbook-link.tsx";
import { EmptyState } from "../../ui/layout/empty-state.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { useMedia } from "../../ui/layout/use-media.ts";
import { homePreview } from "./home-preview.ts";
import { ProjectSection } from "./project-section.tsx";

const DeleteProjectDialog = lazyPart(() =>
  import("../../shell/project/delete-project-dialog.tsx").then((part) => ({ default: part.DeleteProjectDialog })),
);
const EditProjectDialog = lazyPart(() =>
  import("../../shell/project/edit-project-dialog.tsx").then((part) => ({ default: part.EditProjectDialog })),
);

interface OwnProjectsProps {
  /** Whether other people share projects with this account. Undefined until it is known. */
  isShared: boolean | undefined;
}

export function OwnProjects({ isShared }: OwnProjectsProps) {
  const [editing, setEditing] = useState<Project | null>(null);
  const [deleting, setDeleting] = useState<Project | null>(null);
  const columns = useMedia("(min-width: 40rem)") ? 2 : 1;

  return (
    <>
      <ProjectSection
        title="Your Projects"
        link={
          <span className="flex items-center gap-2">
            <Link to="/designer/runs" className={buttonClasses({ variant: "ghost", size: "sm" })}>
              <ListChecks className="size-4" aria-hidden="true" />
              Runs
            </Link>
            <Link to="/designer/new" className={buttonClasses({ variant: "primary", size: "sm" })}>
              <Plus className="-ml-0.5 size-4" aria-hidden="true" />
              New Project
            </Link>
          </span>
        }
        projects={useOwnProjects()}
        columns={columns}
        renderCard={(project) => (
          <ProjectCard
            project={project}
            preview={homePreview(project)}
            corner={
              <>
                <IconButton icon={Pencil} label="Edit project" onClick={() => setEditing(project)} />
                <IconButton icon={Trash2} label="Delete project" danger onClick={() => setDeleting(project)} />
              </>
            }
          />
        )}
        empty={
          isShared === undefined ? null : isShared ? (
            <p className="text-ink-muted">You have no projects of your own.</p>
          ) : (
            <EmptyState
              icon={FolderPlus}
              title="No projects yet"
              action={
                <div className="flex flex-col items-center gap-4">
                  <Link to="/designer/new" className={buttonClasses()}>
                    Create your first one
                  </Link>
                  <Link to="/designer/tour" className="font-medium text-accent-text hover:underline">
                    Or begin with a sample
                  </Link>
                  <HandbookLink page="first-workflow">Your first workflow, step by step</HandbookLink>
                </div>
              }
            >
              A project holds workflows, and the people who build them with you.
            </EmptyState>
          )
        }
      />
      <Suspense>
        {editing ? <EditProjectDialog project={editing} onClose={() => setEditing(null)} /> : null}
        {deleting ? <DeleteProjectDialog project={deleting} onClose={() => setDeleting(null)} /> : null}
      </Suspense>
    </>
  );
}
