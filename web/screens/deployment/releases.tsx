import { useInfiniteQuery } from "@tanstack/react-query";
import { FlaskConical, Rocket, Undo2 } from "lucide-react";
import { useId, useState } from "react";
import { Link } from "react-router";

import type { Channel, Deployment, Release } from "@miranda/contract/schemas/deployments/deployments.ts";

import { releasesQuery, useDeploymentActions } from "../../api/deployments/deployments.ts";
import { graphAddress } from "../../api/graphs.ts";
import { personName } from "../../panels/runs/run-words.ts";
import { RelativeTime } from "../../shell/relative-time.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { counted } from "../../ui/counted.ts";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { Spinner } from "../../ui/layout/spinner.tsx";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { toast } from "../../ui/overlay/toast.ts";

interface ReleasesProps {
  projectId: string;
  deployment: Deployment;
}

/** All releases, newest first. One click serves any of them. */
export function Releases({ projectId, deployment }: ReleasesProps) {
  const id = useId();
  const query = useInfiniteQuery(releasesQuery(deployment.graph.id));
  const releases = query.data?.pages.flatMap((page) => page.releases) ?? [];
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col gap-3">
      <h2 id={id} className="text-xl font-semibold">
        Releases
      </h2>
      {query.isPending ? <Spinner label="Loading the releases" showLabel /> : null}
      {query.isError && !query.data ? (
        <LoadFailure
          title="The releases could not be loaded"
          message={query.error.message}
          onRetry={() => void query.refetch()}
        />
      ) : null}
      {releases.length > 0 ? (
        <ul aria-label="Releases" className="divide-y divide-line rounded-lg border border-line bg-surface shadow-low">
          {releases.map((release) => (
            <ReleaseRow key={release.id} release={release} deployment={deployment} projectId={projectId} />
          ))}
        </ul>
      ) : null}
      {query.hasNextPage ? (
        <Button className="self-center" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Older releases
        </Button>
      ) : null}
    </section>
  );
}

function ReleaseRow({ release, deployment, projectId }: ReleasesProps & { release: Release }) {
  const { number, version, form } = release;
  const graphId = deployment.graph.id;
  const { serve } = useDeploymentActions(graphId);
  const [busy, setBusy] = useState<Channel | null>(null);
  const isProduction = deployment.production?.number === number;
  const isStaging = deployment.staging?.number === number;
  const mayRelease = deployment.right !== "read";
  const isOlder = deployment.production !== null && number < deployment.production.number;

  async function point(channel: Channel): Promise<void> {
    setBusy(channel);
    try {
      await serve(channel, number);
      toast.success(`Release ${number} is in ${channel} now.`);
    } finally {
      setBusy(null);
    }
  }

  return (
    <li data-testid="release" data-number={number} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex min-w-0 flex-wrap items-center gap-2 font-medium">
          <span className="shrink-0">Release {number}</span>
          {isProduction ? <Badge tone="success">Production</Badge> : null}
          {isStaging ? <Badge tone="info">Staging</Badge> : null}
          <Link
            to={`${graphAddress(projectId, graphId)}/history?version=${version.number ?? version.id}`}
            dir="auto"
            className="min-w-0 truncate text-sm font-normal text-accent-text hover:underline"
          >
            {version.number === null ? version.name : `${version.name} #${version.number}`}
          </Link>
        </p>
        <p className="text-sm text-ink-muted">
          {personName(release.by)}, <RelativeTime time={release.time_created} />
          {" · "}
          {counted(form.fields.length, "field")}, {counted(form.outputs.length, "output")}
        </p>
        {release.note ? (
          <p dir="auto" className="mt-0.5 line-clamp-3 text-sm wrap-anywhere whitespace-pre-wrap">
            {release.note}
          </p>
        ) : null}
      </div>
      {mayRelease ? (
        <div className="flex flex-wrap gap-2">
          {isStaging || isProduction ? null : (
            <Button
              size="sm"
              variant="ghost"
              busy={busy === "staging"}
              aria-label={`Put in staging: release ${number}`}
              onClick={() => toastFailure(point("staging"))}
            >
              <FlaskConical className="size-3.5" aria-hidden="true" />
              Put in staging
            </Button>
          )}
          {isProduction ? null : (
            <Button
              size="sm"
              busy={busy === "production"}
              aria-label={isOlder ? `Roll back to this: release ${number}` : `Put in production: release ${number}`}
              onClick={() => toastFailure(point("production"))}
            >
              {isOlder ? (
                <Undo2 className="size-3.5" aria-hidden="true" />
              ) : (
                <Rocket className="size-3.5" aria-hidden="true" />
              )}
              {isOlder ? "Roll back to this" : "Put in production"}
            </Button>
          )}
        </div>
      ) : null}
    </li>
  );
}
