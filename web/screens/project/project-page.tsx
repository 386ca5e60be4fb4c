import {
  Activity,
  ChartColumnStacked,
  Coins,
  Database,
  FlaskConical,
  Globe,
  ListChecks,
  Lock,
  Pencil,
  Plus,
  Trash2,
  Users,
  Wallet,
  Webhook,
} from "lucide-react";
import { Suspense, useState } from "react";
import { Link, useNavigate } from "react-router";

import type { Project } from "@miranda/contract/schemas/projects.ts";

import { experimentsAddress } from "../../api/models/compare.ts";
import { runsAddress } from "../../api/runs/runs.ts";
import { lazyPart } from "../../load-part.ts";
import { CreatorLine } from "../../shell/project/creator.tsx";
import { DeleteProjectDialog } from "../../shell/project/delete-project-dialog.tsx";
import { EditProjectDialog } from "../../shell/project/edit-project-dialog.tsx";
import { FollowButton } from "../../shell/project/follow-button.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { Clipped } from "../../ui/text/clipped.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { Markdown } from "../../ui/markdown/markdown.tsx";
import { Page } from "../../ui/layout/page.tsx";
import { DeploymentList } from "./deployment-list.tsx";
import { MoneyShown } from "../../panels/money.tsx";
import { LimitsDialog } from "./limits-dialog.tsx";
import { ShareDialog } from "./share-dialog.tsx";
import { WebhooksDialog } from "./webhooks/webhooks-dialog.tsx";
import { WorkflowList } from "./workflow-list.tsx";

const ActivityDialog = lazyPart(() =>
  import("./activity-dialog.tsx").then((module) => ({ default: module.ActivityDialog })),
);
const StorageDialog = lazyPart(() =>
  import("./storage-dialog.tsx").then((module) => ({ default: module.StorageDialog })),
);

export function ProjectPage({ project }: { project: Project }) {
  return (
    <Page
      title={project.name}
      description={
        <span className="flex min-w-0 items-center gap-3">
          <CreatorLine project={project} />
          <VisibilityBadge project={project} />
        </span>
      }
      actions={<ProjectActions project={project} />}
    >
      {project.description ? (
        <Clipped height={420}>
          <Markdown text={project.description} className="max-w-3xl text-ink-muted" />
        </Clipped>
      ) : null}
      <DeploymentList projectId={project.id} />
      <WorkflowList project={project} />
    </Page>
  );
}

function VisibilityBadge({ project }: { project: Project }) {
  const Icon = project.visibility === "private" ? Lock : Globe;
  return (
    <Badge>
      <Icon className="size-3" aria-hidden="true" />
      {project.visibility === "private" ? "Private" : "Public"}
    </Badge>
  );
}

function ProjectActions({ project }: { project: Project }) {
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<
    "edit" | "delete" | "share" | "webhooks" | "limits" | "storage" | "activity" | null
  >(null);
  const close = () => setDialog(null);
  const owns = project.access === "owner";
  return (
    <div className="flex flex-wrap items-center gap-2">
      {project.access === "editor" ? (
        <IconButton icon={Webhook} label="Webhooks" onClick={() => setDialog("webhooks")} />
      ) : null}
      {/* A reader of a public project is no member: only members add credits to it. */}
      {project.access === "editor" || (project.access === "viewer" && project.visibility === "private") ? (
        <IconButton
          icon={Wallet}
          label="Project credits"
          onClick={() => void navigate(`/account/billing?project=${project.id}`)}
        />
      ) : null}
      {owns ? (
        <span className="flex">
          <IconButton icon={Webhook} label="Webhooks" onClick={() => setDialog("webhooks")} />
          <MoneyShown>
            <IconButton icon={Coins} label="Limits" onClick={() => setDialog("limits")} />
          </MoneyShown>
          <IconButton
            icon={ChartColumnStacked}
            label="Spending"
            onClick={() => void navigate(`/account/billing?project=${project.id}`)}
          />
          <IconButton icon={Database} label="Model storage" onClick={() => setDialog("storage")} />
          <IconButton icon={Activity} label="Activity" onClick={() => setDialog("activity")} />
          <IconButton icon={Pencil} label="Edit project" onClick={() => setDialog("edit")} />
          <IconButton icon={Trash2} label="Delete project" danger onClick={() => setDialog("delete")} />
        </span>
      ) : null}
      {project.created_by.you ? null : <FollowButton project={project} />}
      <Link to={runsAddress({ project: project.id })} className={buttonClasses()}>
        <ListChecks className="size-4" aria-hidden="true" />
        Runs
      </Link>
      <Link to={experimentsAddress(project.id)} className={buttonClasses()}>
        <FlaskConical className="size-4" aria-hidden="true" />
        {/* Five buttons with words do not fit on a phone. */}
        <span className="max-sm:sr-only">Experiments</span>
      </Link>
      <Button onClick={() => setDialog("share")}>
        <Users className="size-4" aria-hidden="true" />
        {owns ? "Share" : "Members"}
      </Button>
      {project.access === "viewer" ? null : (
        <Link to={`/designer/projects/${project.id}/graphs/new`} className={buttonClasses({ variant: "primary" })}>
          <Plus className="-ml-0.5 size-4" aria-hidden="true" />
          Add Workflow
        </Link>
      )}
      {dialog === "edit" ? <EditProjectDialog project={project} onClose={close} /> : null}
      {dialog === "delete" ? (
        <DeleteProjectDialog
          project={project}
          onClose={close}
          onDeleted={() => void navigate("/designer/", { replace: true })}
        />
      ) : null}
      {dialog === "webhooks" ? <WebhooksDialog project={project} onClose={close} /> : null}
      {dialog === "limits" ? <LimitsDialog project={project} onClose={close} /> : null}
      {dialog === "storage" ? (
        <Suspense fallback={null}>
          <StorageDialog project={project} onClose={close} />
        </Suspense>
      ) : null}
      {dialog === "activity" ? (
        <Suspense fallback={null}>
          <ActivityDialog project={project} onClose={close} />
        </Suspense>
      ) : null}
      {dialog === "share" ? <ShareDialog project={project} onClose={close} /> : null}
    </div>
  );
}
