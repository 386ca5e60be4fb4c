import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { Check, GitMerge } from "lucide-react";
import { type ReactNode, useId, useMemo, useState } from "react";
import { Link, useNavigate, useParams, useSearchParams } from "react-router";

import type { Conflict, MergePreview, VersionGraph } from "@miranda/contract/schemas/versions.ts";

import { graphAddress, useWorkflowName, workflowQuery, workflowWords } from "../../../api/graphs.ts";
import { HttpError } from "../../../api/http.ts";
import { now, refreshVersions, versionGraphQuery } from "../../../api/versions.ts";
import { OpenWorkflow } from "../../../panels/open-workflow.tsx";
import { useGraph, useSession } from "../../../providers/object-provider.tsx";
import { Button, buttonClasses } from "../../../ui/button.tsx";
import { classes } from "../../../ui/classes.ts";
import { FormAlert } from "../../../ui/form/field.tsx";
import { useForm } from "../../../ui/form/use-form.ts";
import { EmptyState } from "../../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { StepList } from "../../../ui/layout/step-list.tsx";
import { toast } from "../../../ui/overlay/toast.ts";
import { Comparison } from "../compare/comparison.tsx";
import { DraftsNotice } from "../history/drafts-notice.tsx";
import { useRevision } from "../history/use-revision.ts";
import { mergeAddress } from "../history/version-addresses.ts";
import { changedCode } from "./changed-code.ts";
import { ConflictView } from "./conflict-view.tsx";
import { ImportFolder, useChosenZip } from "./import-folder.tsx";
import { mergeFrom, type MergeFrom, previewQuery } from "./merge-from.ts";
import { MergeSource } from "./merge-source.tsx";
import { conflictWords, decided, type Decisions } from "./resolutions.ts";

/** Brings the changes of another workflow, or of a folder of files, into this one. */
export function MergeScreen() {
  const { projectId = "", graphId = "" } = useParams();
  const [params] = useSearchParams();
  const from = params.get("from");
  return (
    <OpenWorkflow title="Merge" back={graphAddress(projectId, graphId)}>
      {(loaded) => (
        <div className="flex h-(--below-bar) flex-col">
          {!loaded ? (
            <LoadingArea label="Loading the workflow" />
          ) : from !== null ? (
            <WorkflowMerge key={`${graphId} ${from}`} projectId={projectId} graphId={graphId} from={from} />
          ) : params.has("files") ? (
            <FolderMerge key={graphId} projectId={projectId} graphId={graphId} />
          ) : (
            <MergeSource projectId={projectId} graphId={graphId} />
          )}
        </div>
      )}
    </OpenWorkflow>
  );
}

interface Place {
  projectId: string;
  graphId: string;
}

function WorkflowMerge({ from, ...place }: Place & { from: string }) {
  const { projectId, graphId } = place;
  const { data: theirs } = useQuery(workflowQuery(from));
  const { data: mine } = useQuery(workflowQuery(graphId));
  // A clone has the name of its origin.
  const nameOf = theirs?.name === mine?.name ? workflowWords : ({ name }: { name: string }) => name;
  return (
    <Preview
      {...place}
      from={{ kind: "workflow", id: from }}
      theirsName={theirs ? nameOf(theirs) : "The other workflow"}
      mineName={mine ? nameOf(mine) : "This workflow"}
      renderFailure={(error, busy, retry) =>
        // Trying again helps when the server could not be reached. When it refuses, another workflow has to be chosen.
        isRefusal(error) ? (
          <div role="alert" className="p-4">
            <EmptyState
              icon={GitMerge}
              title="These workflows cannot be merged"
              action={
                <Link to={mergeAddress(projectId, graphId)} className={buttonClasses()}>
                  Choose another workflow
                </Link>
              }
            >
              {error.code === "bad_request"
                ? "The address of this page names no workflow to merge from."
                : error.message}
            </EmptyState>
          </div>
        ) : (
          <div className="p-4">
            <LoadFailure
              title="These workflows could not be compared."
              message={error.message}
              busy={busy}
              onRetry={retry}
            />
          </div>
        )
      }
    />
  );
}

function FolderMerge(place: Place) {
  const choice = useChosenZip(place.graphId);
  const workflow = useWorkflowName(place.projectId, place.graphId) ?? "this workflow";
  const { zip } = choice;
  if (!zip) return <ImportFolder choice={choice} workflow={workflow} />;
  return (
    <Preview
      key={zip.id}
      {...place}
      from={{ kind: "files", zip }}
      theirsName={zip.file.name}
      mineName={workflow}
      onChooseAgain={() => void choice.choose(null)}
      renderFailure={(error, busy, retry) => (
        <ImportFolder
          choice={choice}
          workflow={workflow}
          refusal={error.message}
          busy={busy}
          {...(!isRefusal(error) && { onRetry: retry })}
        />
      )}
    />
  );
}

/** Asking again would be refused again. */
const isRefusal = (error: Error): error is HttpError => error instanceof HttpError && error.status < 429;

interface PreviewProps extends Place {
  from: MergeFrom;
  theirsName: string;
  mineName: string;
  /** Only for a folder: another file can be chosen. */
  onChooseAgain?: () => void;
  renderFailure: (error: Error, busy: boolean, retry: () => void) => ReactNode;
}

function Preview({ renderFailure, ...source }: PreviewProps) {
  const { graphId, from } = source;
  const latest = useRevision();
  const [revision, setRevision] = useState(latest);
  // What was decided stays while the preview is read again, because somebody changed one of the workflows.
  const preview = useQuery({ ...previewQuery(graphId, from, revision), placeholderData: keepPreviousData });
  const graph = useQuery({ ...versionGraphQuery(graphId, now, revision), placeholderData: keepPreviousData });
  // One after the other: a large zip takes longer to send than others take to change something.
  if (revision !== latest && !preview.isFetching) setRevision(latest);
  const error = preview.error ?? graph.error;
  if (error)
    return renderFailure(error, preview.isFetching || graph.isFetching, () => {
      void preview.refetch();
      void graph.refetch();
    });
  if (!preview.data || !graph.data)
    return <LoadingArea label={from.kind === "files" ? "Comparing the folder" : "Comparing the workflows"} />;
  return (
    <MergeView
      {...source}
      preview={preview.data}
      mine={graph.data}
      isOld={revision !== latest || preview.isPlaceholderData || graph.isPlaceholderData || preview.isFetching}
      onOutdated={() => void preview.refetch()}
    />
  );
}

interface MergeViewProps extends Omit<PreviewProps, "renderFailure"> {
  preview: MergePreview;
  mine: VersionGraph;
  /** A newer preview is on its way. */
  isOld: boolean;
  onOutdated: () => void;
}

const noticeFor = 10_000;

function MergeView(props: MergeViewProps) {
  const { projectId, graphId, from, theirsName, mineName, preview, mine, isOld, onChooseAgain, onOutdated } = props;
  const formId = useId();
  const session = useSession();
  const client = useQueryClient();
  const navigate = useNavigate();
  const mayWrite = useGraph((view) => !view.viewOnly);
  const isFolder = from.kind === "files";
  const [decisions, setDecisions] = useState<Decisions>(new Map());
  const { conflicts, comparison } = preview;
  const [tab, setTab] = useState<"conflicts" | "changes">(conflicts.length > 0 ? "conflicts" : "changes");
  const resolutions = decided(conflicts, decisions);
  const resolved = Object.keys(resolutions).length;
  const changes = comparison.nodes.length + comparison.edges.length + comparison.groups.length;
  const isNothing = changes === 0 && conflicts.length === 0;
  const isReady = resolved === conflicts.length && !isNothing && !isOld;

  const touched = useMemo(() => changedCode(preview), [preview]);
  const nothingNew = isFolder
    ? "The workflow already has everything in this folder."
    : "There is nothing new to merge.";

  const form = useForm(async () => {
    const { theirs_revision, mine_revision } = preview;
    try {
      const was = session.store.content();
      const done = await mergeFrom(graphId, from, { theirs_revision, mine_revision, resolutions });
      await session.recordMerge(done, was);
    } catch (cause) {
      onOutdated();
      throw cause;
    }
    refreshVersions(client, graphId);
    await navigate(graphAddress(projectId, graphId));
    toast.success(isFolder ? `Imported ${theirsName}.` : `Merged the changes of ${theirsName}.`, {
      duration: noticeFor,
      action: { label: "Undo", onClick: () => void session.undo() },
    });
  });

  return (
    <>
      <header className="flex min-h-14 shrink-0 flex-wrap items-center gap-x-4 gap-y-2 border-b border-line bg-surface px-4 py-2 max-sm:px-3">
        <div className="min-w-0 flex-1 basis-56">
          <h1 className="truncate font-semibold" dir="auto">
            {isFolder ? "Import" : "Merge from"} {theirsName}
          </h1>
          <p className="truncate text-sm text-ink-muted" dir="auto">
            {preview.has_base
              ? `Into ${mineName}`
              : isFolder
                ? "The version that this folder came from is unknown, so everything that differs is a conflict."
                : `Into ${mineName}. They have no common version, so everything that differs is a conflict.`}
          </p>
        </div>
        {conflicts.length > 0 ? <Tabs tab={tab} onTab={setTab} conflicts={conflicts.length} changes={changes} /> : null}
        {conflicts.length > 0 ? (
          <span className="text-sm text-ink-muted tabular-nums" aria-live="polite" data-testid="resolved">
            {resolved} of {conflicts.length} resolved
          </span>
        ) : null}
        {onChooseAgain ? (
          <Button size="sm" onClick={onChooseAgain}>
            Choose another file
          </Button>
        ) : null}
        {mayWrite ? (
          <form id={formId} onSubmit={form.onSubmit}>
            <Button type="submit" variant="primary" size="sm" busy={form.busy} disabled={!isReady}>
              <GitMerge className="size-3.5" aria-hidden="true" />
              Merge
            </Button>
          </form>
        ) : (
          <span className="text-sm text-ink-muted">You may only look at this workflow.</span>
        )}
      </header>
      {form.error ? (
        <div className="border-b border-line p-3">
          <FormAlert message={form.error} takesFocus />
        </div>
      ) : null}
      <DraftsNotice what="This merge" changes={(id) => touched.has(mine.lineages[id] ?? "")} />
      {tab === "conflicts" && conflicts.length > 0 ? (
        <Conflicts
          conflicts={conflicts}
          decisions={decisions}
          onDecisions={setDecisions}
          hasBase={preview.has_base}
          theirsName={theirsName}
          mineName={mineName}
        />
      ) : (
        <Comparison
          graphId={graphId}
          before={mine}
          differences={comparison}
          nothing={isNothing ? nothingNew : "Only the conflicts change something."}
        />
      )}
    </>
  );
}

interface TabsProps {
  tab: "conflicts" | "changes";
  onTab: (tab: "conflicts" | "changes") => void;
  conflicts: number;
  changes: number;
}

function Tabs({ tab, onTab, conflicts, changes }: TabsProps) {
  const tabs = [
    { value: "conflicts", label: `Conflicts (${conflicts})` },
    { value: "changes", label: `Changes (${changes})` },
  ] as const;
  return (
    <fieldset aria-label="Show" className="flex rounded-md bg-sunken p-0.5">
      {tabs.map(({ value, label }) => (
        <button
          key={value}
          type="button"
          aria-pressed={tab === value}
          onClick={() => onTab(value)}
          className={classes(
            "h-7 rounded-sm px-2.5 text-sm font-medium",
            tab === value ? "bg-raised text-ink shadow-low" : "text-ink-muted hover:text-ink",
          )}
        >
          {label}
        </button>
      ))}
    </fieldset>
  );
}

interface ConflictsProps {
  conflicts: readonly Conflict[];
  decisions: Decisions;
  onDecisions: (decisions: Decisions) => void;
  hasBase: boolean;
  theirsName: string;
  mineName: string;
}

function Conflicts({ conflicts, decisions, onDecisions, ...sides }: ConflictsProps) {
  const [chosen, setChosen] = useState<string>();
  const shown = conflicts.find(({ id }) => id === chosen) ?? conflicts[0];
  const resolutions = decided(conflicts, decisions);
  const all = (side: "theirs" | "mine") => onDecisions(new Map(conflicts.map(({ id }) => [id, side])));
  return (
    <div className="flex min-h-0 flex-1 max-lg:flex-col">
      <section
        aria-label="Conflicts"
        className="flex min-h-0 w-80 shrink-0 flex-col border-r border-line bg-surface max-lg:max-h-[35%] max-lg:w-full max-lg:border-r-0 max-lg:border-b"
      >
        <div className="flex shrink-0 gap-2 border-b border-line px-3 py-2">
          <Button size="sm" onClick={() => all("theirs")}>
            Use theirs for all
          </Button>
          <Button size="sm" onClick={() => all("mine")}>
            Use mine for all
          </Button>
        </div>
        <StepList
          label="Conflicts"
          items={conflicts}
          itemKey={({ id }) => id}
          chosen={shown?.id}
          onChoose={({ id }) => setChosen(id)}
          rowHeight={52}
          className="flex-1 p-1.5"
          focusOnOpen
          renderItem={(conflict) => (
            <>
              <span className="flex items-center gap-2">
                <span dir="auto" className="min-w-0 flex-1 truncate font-medium">
                  {conflict.name}
                </span>
                <State resolution={resolutions[conflict.id]} />
              </span>
              <span className="block truncate text-xs text-ink-muted">{conflictWords(conflict)}</span>
            </>
          )}
        />
      </section>
      <div className="flex min-h-0 min-w-0 flex-1 flex-col bg-surface">
        {shown ? (
          <ConflictView
            key={shown.id}
            conflict={shown}
            decision={decisions.get(shown.id)}
            onDecide={(decision) => onDecisions(new Map(decisions).set(shown.id, decision))}
            {...sides}
          />
        ) : null}
      </div>
    </div>
  );
}

function State({ resolution }: { resolution: ReturnType<typeof decided>[string] | undefined }) {
  if (resolution === undefined)
    return <span className="shrink-0 text-xs font-medium text-warning-text">To resolve</span>;
  const words = resolution === "theirs" ? "Theirs" : resolution === "mine" ? "Mine" : "Edited";
  return (
    <span className="flex shrink-0 items-center gap-1 text-xs font-medium text-success-text">
      <Check className="size-3.5" aria-hidden="true" />
      {words}
    </span>
  );
}
