import { Download, Ellipsis, FolderDown, FolderUp, Pencil, Trash2, Workflow } from "lucide-react";
import { Link } from "react-router";

import type { KnowledgeObject } from "@miranda/contract/schemas/projects.ts";

import { exportAddress, graphAddress, importAddress } from "../../api/graphs.ts";
import { filesAddress } from "../../api/workflow-files.ts";
import { buttonClasses } from "../../ui/button.tsx";
import { Card } from "../../ui/layout/card.tsx";
import { Clipped } from "../../ui/text/clipped.tsx";
import { Dropdown, DropdownItem } from "../../ui/overlay/dropdown.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { Markdown } from "../../ui/markdown/markdown.tsx";

interface WorkflowItemProps {
  projectId: string;
  workflow: KnowledgeObject;
  writable: boolean;
  onEdit: () => void;
  onDelete: () => void;
}

export function WorkflowItem({ projectId, workflow, writable, onEdit, onDelete }: WorkflowItemProps) {
  return (
    <Card
      data-testid="workflow-item"
      className="group relative flex min-w-0 items-start gap-3 py-3 pr-2 pl-4 transition-colors hover:border-line-strong"
    >
      <Workflow className="mt-1.5 size-4 shrink-0 text-ink-faint" strokeWidth={1.75} aria-hidden="true" />
      <div className="min-w-0 flex-1 py-1">
        {/* The link covers the whole card; buttons lie above it. */}
        <Link
          to={graphAddress(projectId, workflow.id)}
          dir="auto"
          className="line-clamp-3 font-semibold wrap-anywhere group-hover:text-accent-text before:absolute before:inset-0 before:rounded-lg focus-visible:outline-none focus-visible:before:outline-2 focus-visible:before:outline-(--ring)"
        >
          {workflow.name}
        </Link>
        {workflow.description ? (
          <div className="mt-1 [&_a]:relative [&_button]:relative">
            <Clipped height={132}>
              <Markdown text={workflow.description} className="max-w-3xl text-sm text-ink-muted" />
            </Clipped>
          </div>
        ) : null}
      </div>
      <div className="relative flex shrink-0">
        {writable ? (
          <>
            <IconButton icon={Pencil} label="Edit workflow" onClick={onEdit} />
            <IconButton icon={Trash2} label="Delete workflow" danger onClick={onDelete} />
          </>
        ) : null}
        <Dropdown
          trigger={
            <button
              type="button"
              aria-label="More actions"
              className={buttonClasses({ variant: "ghost", size: "icon" }, "data-[state=open]:bg-hover")}
            >
              <Ellipsis className="size-4" aria-hidden="true" />
            </button>
          }
        >
          <DropdownItem asChild>
            <a href={exportAddress(workflow.id)} download>
              <Download className="size-4 text-ink-muted" aria-hidden="true" />
              Export GraphML
            </a>
          </DropdownItem>
          <DropdownItem asChild>
            <a href={filesAddress(workflow.id)} download>
              <FolderDown className="size-4 text-ink-muted" aria-hidden="true" />
              Export files (.zip)
            </a>
          </DropdownItem>
          {writable ? (
            <DropdownItem asChild>
              <Link to={importAddress(projectId, workflow.id)}>
                <FolderUp className="size-4 text-ink-muted" aria-hidden="true" />
                Import a folder…
              </Link>
            </DropdownItem>
          ) : null}
        </Dropdown>
      </div>
    </Card>
  );
}
