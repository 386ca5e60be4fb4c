import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ArrowLeftRight, ChevronsUpDown, GitCompareArrows, RotateCcw } from "lucide-react";
import { useState } from "react";
import { useNavigate, useParams, useSearchParams } from "react-router";

import { graphAddress, workflowQuery, workflowWords } from "../../../api/graphs.ts";
import { HttpError } from "../../../api/http.ts";
import {
  comparisonQuery,
  lastNamedQuery,
  lastPublishedQuery,
  now,
  type Sides,
  versionGraphQuery,
  versionQuery,
} from "../../../api/versions.ts";
import { OpenWorkflow } from "../../../panels/open-workflow.tsx";
import { useGraph } from "../../../providers/object-provider.tsx";
import { Button } from "../../../ui/button.tsx";
import { IconButton } from "../../../ui/icon-button.tsx";
import { EmptyState } from "../../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { versionTitle } from "../history/timeline-rows.ts";
import { useRestore } from "../history/use-restore.ts";
import { useRevision } from "../history/use-revision.ts";
import { compareAddress, versionKey } from "../history/version-addresses.ts";
import { Comparison } from "./comparison.tsx";
import { VersionChoiceDialog } from "./version-choice-dialog.tsx";

/** Two versions side by side, or two workflows. Its address names both sides, so that it can be shared. */
export function CompareScreen() {
  const { projectId = "", graphId = "" } = useParams();
  return (
    <OpenWorkflow title="Compare" back={graphAddress(projectId, graphId)}>
      {/* It does not wait for the workflow as it is: the server compares. */}
      {() => (
        <div className="flex h-(--below-bar) flex-col">
          <CompareView key={graphId} projectId={projectId} graphId={graphId} />
        </div>
      )}
    </OpenWorkflow>
  );
}

function CompareView({ projectId, graphId }: { projectId: string; graphId: string }) {
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const [choosing, setChoosing] = useState<"before" | "after" | "workflow" | null>(null);
  const asked = params.get("before");
  // Without a version in the address, what was published last is the most useful one, then what was named last.
  const published = useQuery({ ...lastPublishedQuery(graphId), enabled: asked === null });
  const named = useQuery({ ...lastNamedQuery(graphId), enabled: asked === null && published.data === null });
  const start = published.data ?? named.data;
  const before = asked ?? (start ? versionKey(start) : undefined);
  const sides = {
    before,
    after: params.get("after") ?? now,
    with: params.get("with") ?? undefined,
  };
  const go = (changes: Partial<Sides>) =>
    void navigate(compareAddress(projectId, graphId, { ...sides, before: before ?? now, ...changes }));
  const other = sides.with ?? graphId;
  return (
    <>
      <header className="flex min-h-14 shrink-0 flex-wrap items-center gap-x-2 gap-y-1.5 border-b border-line bg-surface px-4 py-2 max-sm:px-3">
        <h1 className="mr-2 font-semibold max-sm:sr-only">Compare</h1>
        <SideButton
          label="Before"
          graphId={graphId}
          version={before}
          isElsewhere={sides.with !== undefined}
          onClick={() => setChoosing("before")}
        />
        {sides.with === undefined ? (
          <IconButton
            icon={ArrowLeftRight}
            label="Swap the sides"
            onClick={() => go({ before: sides.after, after: before ?? now })}
          />
        ) : (
          <span aria-hidden="true" className="px-1 text-ink-faint">
            →
          </span>
        )}
        <SideButton
          label="After"
          graphId={other}
          version={sides.after}
          isElsewhere={sides.with !== undefined}
          onClick={() => setChoosing("after")}
        />
      </header>
      {before === undefined ? (
        published.isPending || (published.data === null && named.isPending) ? (
          <LoadingArea label="Loading the versions" />
        ) : (
          <div className="p-4">
            <EmptyState
              icon={GitCompareArrows}
              title="No version has a name yet"
              action={
                <div className="flex flex-wrap justify-center gap-2">
                  <Button onClick={() => setChoosing("before")}>Choose a version</Button>
                  <Button onClick={() => setChoosing("workflow")}>Choose another workflow</Button>
                </div>
              }
            >
              Compare the workflow with an automatic version, or with another workflow.
            </EmptyState>
          </div>
        )
      ) : (
        <Sides key={`${before} ${sides.after} ${sides.with}`} graphId={graphId} sides={{ ...sides, before }} />
      )}
      {choosing ? (
        <VersionChoiceDialog
          title={choosing === "before" ? "Choose the version before" : "Choose the version after"}
          graphId={choosing === "before" ? graphId : other}
          chosen={choosing === "before" ? before : sides.after}
          startsElsewhere={choosing === "workflow"}
          onChoose={(version) => {
            setChoosing(null);
            go({ [choosing === "before" ? "before" : "after"]: version });
          }}
          onChooseWorkflow={
            choosing === "before"
              ? undefined
              : (id) => {
                  setChoosing(null);
                  go({
                    after: now,
                    with: id === graphId ? undefined : id,
                    ...(before === undefined && { before: now }),
                  });
                }
          }
          onClose={() => setChoosing(null)}
        />
      ) : null}
    </>
  );
}

interface SideButtonProps {
  label: string;
  graphId: string;
  version: string | undefined;
  /** The side is another workflow, so its name is shown too. */
  isElsewhere: boolean;
  onClick: () => void;
}

function SideButton({ label, graphId, version, isElsewhere, onClick }: SideButtonProps) {
  const isVersion = version !== undefined && version !== now;
  const { data: found, isError } = useQuery({ ...versionQuery(graphId, version ?? now), enabled: isVersion });
  const { data: workflow } = useQuery({ ...workflowQuery(graphId), enabled: isElsewhere });
  const title = !isVersion
    ? version === now
      ? "Now"
      : "Choose a version"
    : found
      ? versionTitle(found)
      : isError
        ? "Not found"
        : "…";
  const number = isVersion && found?.number ? ` #${found.number}` : "";
  return (
    <button
      type="button"
      onClick={onClick}
      aria-haspopup="dialog"
      className="flex h-9 max-w-full min-w-0 items-center sm:max-w-104 gap-2 rounded-md border border-line-strong bg-surface px-3 hover:border-ink-faint"
    >
      <span className="text-xs text-ink-faint">{label}</span>
      <span dir="auto" className="min-w-0 truncate font-medium">
        {isElsewhere && workflow ? `${workflowWords(workflow)}: ` : ""}
        {title}
        <span className="font-normal text-ink-muted tabular-nums">{number}</span>
      </span>
      <ChevronsUpDown className="size-4 shrink-0 text-ink-faint" aria-hidden="true" />
    </button>
  );
}

function Sides({ graphId, sides }: { graphId: string; sides: Sides }) {
  const revision = useRevision();
  // What is shown stays while it is read again, because somebody changed the workflow.
  const placeholderData = keepPreviousData;
  const graph = useQuery({ ...versionGraphQuery(graphId, sides.before, revision), placeholderData });
  const comparison = useQuery({ ...comparisonQuery(graphId, sides, revision), placeholderData });
  const mayWrite = useGraph((view) => !view.viewOnly);
  const restore = useRestore();
  const mayRestore = mayWrite && sides.before !== now && sides.after === now && sides.with === undefined;
  const error = graph.error ?? comparison.error;
  if (error instanceof HttpError && error.status === 404)
    return (
      <div role="alert" className="p-4">
        <EmptyState icon={GitCompareArrows} title={error.message}>
          It was deleted, or you may not read it. Choose something else above.
        </EmptyState>
      </div>
    );
  if (error)
    return (
      <div className="p-4">
        <LoadFailure
          title="These could not be compared."
          message={error.message}
          busy={graph.isFetching || comparison.isFetching}
          onRetry={() => {
            void graph.refetch();
            void comparison.refetch();
          }}
        />
      </div>
    );
  if (!graph.data || !comparison.data) return <LoadingArea label="Comparing" />;
  return (
    <Comparison
      graphId={graphId}
      before={graph.data}
      differences={comparison.data}
      nothing="Both sides are the same."
      renderAction={({ type, mark, key, name }) =>
        mayRestore && type === "node" && mark !== "added" ? (
          <Button size="sm" onClick={() => void restore(sides.before, `Restored “${name}”.`, [key])}>
            <RotateCcw className="size-3.5" aria-hidden="true" />
            Restore this node
          </Button>
        ) : null
      }
    />
  );
}
