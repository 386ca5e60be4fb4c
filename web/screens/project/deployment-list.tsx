import { Rocket } from "lucide-react";
import { useId } from "react";
import { Link } from "react-router";

import type { Deployment } from "@miranda/contract/schemas/deployments/deployments.ts";

import { deploymentAddress, useProjectDeployments } from "../../api/deployments/deployments.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { counted } from "../../ui/counted.ts";
import { Card } from "../../ui/layout/card.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";

/** The deployments of a project. A project without any shows nothing. */
export function DeploymentList({ projectId }: { projectId: string }) {
  const id = useId();
  const { data, hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage } =
    useProjectDeployments(projectId);
  const deployments = data?.pages.flatMap((page) => page.deployments) ?? [];
  if (deployments.length === 0) return null;
  return (
    <section aria-labelledby={id} className="min-w-0">
      <h2 id={id} className="mb-4 flex items-baseline gap-2 text-xl font-semibold">
        Deployments
        <span className="text-base font-normal text-ink-faint tabular-nums">
          {deployments.length}
          {hasNextPage ? "+" : ""}
        </span>
      </h2>
      <ul aria-label="Deployments" className="grid gap-2 sm:grid-cols-2">
        {deployments.map((deployment) => (
          <li key={deployment.id} className="min-w-0">
            <DeploymentItem projectId={projectId} deployment={deployment} />
          </li>
        ))}
      </ul>
      {isFetchNextPageError ? (
        <LoadFailure
          title="More deployments could not be loaded"
          message={error?.message ?? ""}
          busy={isFetchingNextPage}
          onRetry={() => void fetchNextPage()}
        />
      ) : hasNextPage ? (
        <Button variant="ghost" busy={isFetchingNextPage} onClick={() => void fetchNextPage()} className="mt-3">
          Show more
        </Button>
      ) : null}
    </section>
  );
}

function DeploymentItem({ projectId, deployment }: { projectId: string; deployment: Deployment }) {
  const { title, calls, production, paused_reason } = deployment;
  return (
    <Card
      data-testid="deployment-item"
      className="group relative flex h-full min-w-0 items-start gap-3 px-4 py-3 transition-colors hover:border-line-strong"
    >
      <Rocket className="mt-1 size-4 shrink-0 text-ink-faint" strokeWidth={1.75} aria-hidden="true" />
      <div className="min-w-0 flex-1">
        <p className="flex min-w-0 items-center gap-2">
          <Link
            to={deploymentAddress(projectId, deployment.graph.id)}
            dir="auto"
            className="min-w-0 truncate font-semibold group-hover:text-accent-text before:absolute before:inset-0 before:rounded-lg focus-visible:outline-none focus-visible:before:outline-2 focus-visible:before:outline-(--ring)"
          >
            {title}
          </Link>
          {paused_reason === null ? <Badge tone="success">Serving</Badge> : <Badge tone="warning">Not serving</Badge>}
        </p>
        <p dir="auto" className="truncate text-sm text-ink-muted">
          {production
            ? `Release ${production.number}: ${production.version.name}`
            : (paused_reason ?? "Nothing in production")}
        </p>
        <p className="text-sm text-ink-muted tabular-nums">
          {counted(calls.today, "call")} today
          {calls.failed_today > 0 ? <span className="text-danger-text">, {calls.failed_today} failed</span> : null}
        </p>
      </div>
    </Card>
  );
}
