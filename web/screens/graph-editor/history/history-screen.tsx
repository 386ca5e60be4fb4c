import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { History } from "lucide-react";
import { Suspense, useMemo } from "react";
import { Link, useParams, useSearchParams } from "react-router";

import type { GraphContent } from "@miranda/contract/graph/content.ts";
import type { VersionGraph } from "@miranda/contract/schemas/versions.ts";

import { lazyPart } from "../../../load-part.ts";
import { graphAddress } from "../../../api/graphs.ts";
import { HttpError } from "../../../api/http.ts";
import { now, versionGraphQuery, versionQuery } from "../../../api/versions.ts";
import { OpenWorkflow } from "../../../panels/open-workflow.tsx";
import { useGraph } from "../../../providers/object-provider.tsx";
import { buttonClasses } from "../../../ui/button.tsx";
import { classes } from "../../../ui/classes.ts";
import { EmptyState } from "../../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { PastCanvas } from "../canvas/past-canvas.tsx";
import type { PastView } from "../canvas/past-view.ts";
import { Inspector } from "../inspector/inspector.tsx";
import { DraftsNotice } from "./drafts-notice.tsx";
import { NameVersionDialog } from "./name-version-dialog.tsx";
import { Timeline } from "./timeline.tsx";
import { useRestore } from "./use-restore.ts";
import { historyAddress, versionKey } from "./version-addresses.ts";
import { VersionBar } from "./version-bar.tsx";

const PublishDialog = lazyPart(() =>
  import("../publish/publish-dialog.tsx").then((m) => ({ default: m.PublishDialog })),
);

/** The history of a workflow: its versions, and any of them on the canvas. */
export function HistoryScreen() {
  const { projectId = "", graphId = "" } = useParams();
  const [params] = useSearchParams();
  const isPast = (params.get("version") ?? now) !== now;
  return (
    <OpenWorkflow title="History" back={graphAddress(projectId, graphId)}>
      {(loaded) => (
        <div className="flex h-(--below-bar) flex-col">
          {/* A version needs nothing of the workflow as it is, which may take as long to load. */}
          {loaded || isPast ? (
            <HistoryView key={graphId} projectId={projectId} graphId={graphId} />
          ) : (
            <LoadingArea label="Loading the workflow" />
          )}
        </div>
      )}
    </OpenWorkflow>
  );
}

/** Dialogs are part of the address, so that the search over everything can open them. */
function dialogOf(asked: string | null): "name" | "publish" | null {
  return asked === "name" || asked === "publish" ? asked : null;
}

/** The workflow as it is, to look at. It is here already, and follows what others do. */
function presentGraph({ nodes, edges, groups }: GraphContent): VersionGraph {
  return {
    nodes,
    edges: Object.values(edges),
    groups: Object.values(groups),
    viewOnly: true,
    revision: 0,
    lineages: {},
  };
}

function HistoryView({ projectId, graphId }: { projectId: string; graphId: string }) {
  const [params, setParams] = useSearchParams();
  const asked = params.get("version");
  const key = asked ?? now;
  const mayWrite = useGraph((view) => !view.viewOnly);
  const dialog = mayWrite ? dialogOf(params.get("do")) : null;
  const setDialog = (next: "name" | "publish" | null) =>
    setParams({ ...(asked !== null && { version: asked }), ...(next && { do: next }) }, { replace: true });
  const isPast = key !== now;
  const { data: version = null, error: versionError } = useQuery({
    ...versionQuery(graphId, key),
    enabled: isPast,
  });
  const graph = useQuery({
    ...versionGraphQuery(graphId, key, 0),
    ...{ placeholderData: keepPreviousData, enabled: isPast },
  });
  const present = useGraph((view) => view.resolved.content);
  const restore = useRestore();

  const shown = useMemo(() => (isPast ? graph.data : presentGraph(present)), [isPast, graph.data, present]);
  const past = useMemo((): PastView => {
    const nothing = { nodes: new Map(), edges: new Map() };
    if (!isPast || !mayWrite || !version || !shown) return nothing;
    return {
      ...nothing,
      restore: (ids) => {
        const nodes = ids.flatMap((id) => shown.lineages[id] ?? []);
        const [only] = ids;
        const what = ids.length === 1 ? `“${shown.nodes[only ?? ""]?.name}”` : `${ids.length} nodes`;
        void restore(version.id, `Restored ${what}.`, nodes);
      },
    };
    // The function changes with every render and always does the same.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isPast, mayWrite, version, shown]);

  const error = versionError ?? graph.error;
  const isMissing = error instanceof HttpError && error.code === "version_not_found";
  return (
    <div className="flex min-h-0 flex-1">
      <div className={classes("flex min-h-0 min-w-0 flex-1 flex-col", asked === null ? "max-md:hidden" : null)}>
        <VersionBar
          projectId={projectId}
          graphId={graphId}
          shown={isPast ? (version ?? (error ? "missing" : "loading")) : "now"}
          mayWrite={mayWrite}
          onName={() => setDialog("name")}
          onPublish={() => setDialog("publish")}
        />
        {isPast && mayWrite && graph.data && !graph.isPlaceholderData ? (
          <DraftsNotice
            what="Restoring this version"
            changes={(id) => graph.data.nodes[id]?.source_code !== present.nodes[id]?.source_code}
          />
        ) : null}
        {isPast && isMissing ? (
          <div role="alert" className="p-4">
            <EmptyState
              icon={History}
              title="There is no such version"
              action={
                <Link to={historyAddress(projectId, graphId)} className={buttonClasses()}>
                  Show all versions
                </Link>
              }
            >
              Somebody deleted it, or it was automatic and too old to keep.
            </EmptyState>
          </div>
        ) : isPast && error && !graph.isPlaceholderData ? (
          <div className="p-4">
            <LoadFailure
              title="This version could not be loaded."
              message={error.message}
              busy={graph.isFetching}
              onRetry={() => void graph.refetch()}
            />
          </div>
        ) : shown ? (
          <PastCanvas graphId={graphId} graph={shown} past={past} place={graphId}>
            <div className="flex min-h-0 items-start justify-end">
              <Inspector />
            </div>
          </PastCanvas>
        ) : (
          <LoadingArea label="Loading the version" />
        )}
      </div>
      <aside
        aria-label="Versions"
        className={classes(
          "flex min-h-0 w-80 shrink-0 flex-col border-l border-line bg-surface max-md:w-full max-md:border-l-0",
          asked !== null ? "max-md:hidden" : null,
        )}
      >
        <header className="flex h-16 shrink-0 items-center border-b border-line px-4">
          <h2 className="font-semibold">History</h2>
        </header>
        <Timeline
          graphId={graphId}
          shown={key}
          addressOf={(one) => historyAddress(projectId, graphId, one === now ? now : versionKey(one))}
        />
      </aside>
      {dialog === "name" ? (
        <NameVersionDialog projectId={projectId} graphId={graphId} onClose={() => setDialog(null)} />
      ) : null}
      {dialog === "publish" ? (
        <Suspense fallback={null}>
          <PublishDialog projectId={projectId} graphId={graphId} onClose={() => setDialog(null)} />
        </Suspense>
      ) : null}
    </div>
  );
}
