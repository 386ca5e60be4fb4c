import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { X } from "lucide-react";
import * as Primitive from "radix-ui/dialog";
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { useNavigate } from "react-router";

import { formText, version as limits } from "@miranda/contract/limits.ts";
import type { BriefComparison, NodeEdit, Version, VersionGraph } from "@miranda/contract/schemas/versions.ts";

import { useAccount } from "../../../api/account/session.ts";
import {
  allEditsQuery,
  comparisonQuery,
  createVersion,
  editsQuery,
  lastPublishedQuery,
  now,
  refreshVersions,
  versionGraphQuery,
} from "../../../api/versions.ts";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { Button } from "../../../ui/button.tsx";
import { counted } from "../../../ui/counted.ts";
import { FormAlert, TextAreaField, TextField } from "../../../ui/form/field.tsx";
import { fieldText, useForm } from "../../../ui/form/use-form.ts";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { DialogPanel } from "../../../ui/overlay/dialog.tsx";
import { toast } from "../../../ui/overlay/toast.ts";
import type { Change } from "../compare/changes.ts";
import { Comparison } from "../compare/comparison.tsx";
import { versionTitle } from "../history/timeline-rows.ts";
import { UnsavedNotice } from "../../../panels/unsaved-notice.tsx";
import { useRevision } from "../history/use-revision.ts";
import { historyAddress, versionKey } from "../history/version-addresses.ts";
import { Contributors } from "./contributors.tsx";
import { contributorsOf, everythingAdded, toggled } from "./publication.ts";

interface PublishDialogProps {
  projectId: string;
  graphId: string;
  onClose: () => void;
}

/** Publishes the workflow as a version. It shows what changed since the last one, and single nodes can be left out. */
export function PublishDialog(props: PublishDialogProps) {
  return (
    <Primitive.Root open onOpenChange={props.onClose}>
      <DialogPanel className="h-[80dvh] max-w-6xl" aria-describedby={undefined} data-testid="publish-dialog">
        <Primitive.Close
          aria-label="Close dialog"
          className="absolute top-3.5 right-3.5 z-20 grid size-7 place-items-center rounded-sm text-ink-faint transition-colors hover:bg-hover hover:text-ink"
        >
          <X className="size-4" aria-hidden="true" />
        </Primitive.Close>
        <PublishContent {...props} />
      </DialogPanel>
    </Primitive.Root>
  );
}

function PublishContent({ projectId, graphId, onClose }: PublishDialogProps) {
  const revision = useRevision();
  const last = useQuery(lastPublishedQuery(graphId));
  const since = last.data?.id;
  // While others change the workflow, the form and what was typed stay.
  const placeholderData = keepPreviousData;
  const graph = useQuery({
    ...versionGraphQuery(graphId, since ?? now, revision),
    ...{ placeholderData, enabled: last.isSuccess },
  });
  const comparison = useQuery({
    ...comparisonQuery(graphId, { before: since ?? now, after: now }, revision),
    ...{ placeholderData, enabled: since !== undefined },
  });
  // Before the first publication, everybody who ever changed a node is named.
  const edits = useQuery({
    ...(since === undefined ? allEditsQuery(graphId, revision) : editsQuery(graphId, since, revision)),
    ...{ placeholderData, enabled: last.isSuccess },
  });
  const loaded = useMemo((): Loaded | undefined => {
    if (!graph.data || !edits.data) return undefined;
    if (since === undefined) return { last: null, edits: edits.data, ...everythingAdded(graph.data) };
    if (!last.data || !comparison.data) return undefined;
    return { last: last.data, edits: edits.data, before: graph.data, differences: comparison.data };
  }, [graph.data, edits.data, since, last.data, comparison.data]);
  // Somebody may publish while this is open. The form and what was typed stay until the new changes are here.
  const [shown, setShown] = useState(loaded);
  if (loaded && loaded !== shown) setShown(loaded);
  const error = last.error ?? graph.error ?? comparison.error ?? edits.error;
  if (error)
    return (
      <div className="p-6">
        <Primitive.Title className="sr-only">Publish</Primitive.Title>
        <LoadFailure
          title="What changed could not be loaded."
          message={error.message}
          onRetry={() => {
            for (const query of [last, graph, comparison, edits]) if (query.isError) void query.refetch();
          }}
        />
      </div>
    );
  if (!shown)
    return (
      <>
        <Primitive.Title className="px-5 pt-5 text-lg font-semibold">Publish</Primitive.Title>
        <LoadingArea label="Looking for changes since the last publication" />
      </>
    );
  return <PublishForm projectId={projectId} graphId={graphId} onClose={onClose} {...shown} />;
}

/** What changed since the last publication. */
interface Loaded {
  last: Version | null;
  before: VersionGraph;
  differences: BriefComparison;
  edits: readonly NodeEdit[];
}

type PublishFormProps = PublishDialogProps & Loaded;

function PublishForm({ projectId, graphId, onClose, last, before, differences, edits }: PublishFormProps) {
  const formId = useId();
  const area = useRef<HTMLFormElement>(null);
  // The dialog opens before the form is here, so the focus is still outside.
  useEffect(() => area.current?.querySelector("input")?.focus(), []);
  const client = useQueryClient();
  const navigate = useNavigate();
  const { username } = useAccount();
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set());
  const byNode = useMemo(() => new Map(edits.map((edit) => [edit.lineage, edit])), [edits]);
  const contributors = useMemo(
    () => contributorsOf([...edits], new Set(differences.nodes.map(({ lineage }) => lineage)), username),
    [edits, differences, username],
  );
  const form = useForm(async (data) => {
    const made = await createVersion(graphId, {
      name: fieldText(data, "name"),
      message: fieldText(data, "message"),
      publish: true,
      left_out: [...leftOut],
    });
    refreshVersions(client, graphId);
    onClose();
    toast.success(`Published “${made.name}”.`, {
      action: { label: "History", onClick: () => void navigate(historyAddress(projectId, graphId, versionKey(made))) },
    });
  });
  const isListed = new Set(differences.nodes.map(({ lineage }) => lineage));
  const out = [...leftOut].filter((lineage) => isListed.has(lineage));

  return (
    <Comparison
      graphId={graphId}
      before={before}
      differences={differences}
      nothing={last ? "Nothing changed since the last published version." : "This workflow has no nodes yet."}
      isTicked={(change) => (change.type === "node" && change.mark !== "moved" ? !leftOut.has(change.key) : undefined)}
      onTick={({ key }) => setLeftOut(toggled(leftOut, [key], leftOut.has(key)))}
      renderNote={(change) => (
        <Note change={change} edit={byNode.get(change.key)} me={username} isOut={leftOut.has(change.key)} />
      )}
      heading={
        <form
          ref={area}
          id={formId}
          onSubmit={form.onSubmit}
          className="flex shrink-0 flex-col gap-3 border-b border-line px-4 pt-4 pb-3"
        >
          <div>
            <Primitive.Title className="text-lg font-semibold">Publish</Primitive.Title>
            <p className="text-sm text-ink-muted">
              {last ? (
                <>
                  Changes since “{versionTitle(last)}”, published{" "}
                  <RelativeTime time={last.time_published ?? last.time_created} />
                </>
              ) : (
                "Nothing is published yet. Everything is new."
              )}
            </p>
          </div>
          <TextField
            label="Name"
            name="name"
            dir="auto"
            autoComplete="off"
            required
            maxLength={formText.nameMax}
            onChange={form.clearError}
          />
          <TextAreaField label="Message" name="message" dir="auto" optional maxLength={limits.messageMax} rows={2} />
          <Contributors
            contributors={contributors}
            me={username}
            leftOut={leftOut}
            onChange={(nodes, isIn) => setLeftOut(toggled(leftOut, nodes, isIn))}
          />
          <UnsavedNotice />
          <FormAlert message={form.error} takesFocus />
        </form>
      }
      footing={
        <div className="flex shrink-0 items-center justify-between gap-2 border-t border-line px-4 py-3">
          <span className="text-sm text-ink-muted" aria-live="polite">
            {out.length === 0 ? "Everything will be published." : `${counted(out.length, "node")} left out`}
          </span>
          <Button type="submit" form={formId} variant="primary" busy={form.busy}>
            Publish
          </Button>
        </div>
      }
    />
  );
}

interface NoteProps {
  change: Change;
  edit: NodeEdit | undefined;
  me: string;
  isOut: boolean;
}

/** Who changed the node, and whose code in it is not saved. */
function Note({ change, edit, me, isOut }: NoteProps) {
  if (change.type !== "node") return null;
  const people = edit?.people.filter(({ moved_only }) => !moved_only) ?? [];
  const names = people.map(({ username, first_name }) => (username === me ? "you" : first_name));
  const unsaved = edit?.unsaved.map((username) => (username === me ? "you" : username)) ?? [];
  return (
    <>
      {names.length > 0 ? <span className="block truncate text-xs text-ink-muted">By {names.join(", ")}</span> : null}
      {unsaved.length > 0 ? (
        <span className="block text-xs text-warning-text">Unsaved code by {unsaved.join(", ")}</span>
      ) : null}
      {isOut ? (
        <span className="block text-xs text-ink-muted">
          {change.mark === "added" ? "Left out: not published" : "Left out: stays as published"}
        </span>
      ) : null}
    </>
  );
}
