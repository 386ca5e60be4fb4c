import { useQuery } from "@tanstack/react-query";
import { Trash2, Undo2 } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";

import type { TrashedModel } from "@miranda/contract/schemas/models/versions.ts";

import { modelAddress, modelTrashQuery } from "../../api/models/model.ts";
import { useEmptyTrash, useModelActions } from "../../api/models/model-actions.ts";
import { useTrashTime } from "../../panels/models/use-trash-time.ts";
import { personName } from "../../panels/runs/run-words.ts";
import { RelativeTime } from "../../shell/relative-time.tsx";
import { useTopBar } from "../../shell/top-bar-context.tsx";
import { Button } from "../../ui/button.tsx";
import { counted } from "../../ui/counted.ts";
import { EmptyState } from "../../ui/layout/empty-state.tsx";
import { LoadFailure } from "../../ui/layout/load-failure.tsx";
import { Page } from "../../ui/layout/page.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { ConfirmDialog } from "../../ui/overlay/confirm-dialog.tsx";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { toast } from "../../ui/overlay/toast.ts";
import { dayWords } from "../../format/day-words.ts";
import { oneLine } from "../../ui/text/drawable-text.ts";

/** Deleted models and versions, until they are removed for good. */
export function TrashScreen() {
  useTopBar({ back: "/designer/models" });
  const { data, error, isPending, isFetching, refetch } = useQuery(modelTrashQuery());
  const trashTime = useTrashTime();
  return (
    <Page title="Deleted models" description="They can be restored until they are removed for good.">
      {isPending ? <LoadingArea label="Loading the deleted models" /> : null}
      {error && !data ? (
        <LoadFailure
          title="The deleted models could not be loaded"
          message={error.message}
          busy={isFetching}
          onRetry={() => void refetch()}
        />
      ) : null}
      {data?.length === 0 ? (
        <EmptyState icon={Trash2} title="Nothing is deleted">
          Models and versions that you delete wait here {trashTime}.
        </EmptyState>
      ) : null}
      {[...Map.groupBy(data ?? [], ({ project }) => project.id)].map(([id, items]) => (
        <ProjectTrash key={id} items={items} />
      ))}
    </Page>
  );
}

/** What is deleted in one project. Its owner can free the room at once. */
function ProjectTrash({ items }: { items: readonly TrashedModel[] }) {
  const [isAsking, setAsking] = useState(false);
  const [first] = items;
  if (!first) return null;
  const { project, access } = first;
  const name = oneLine(project.name);
  return (
    <section aria-label={name} className="flex min-w-0 flex-col gap-2">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 dir="auto" className="min-w-0 truncate text-lg font-semibold">
          {name}
        </h2>
        {access === "owner" ? (
          <Button size="sm" onClick={() => setAsking(true)}>
            <Trash2 className="size-3.5" aria-hidden="true" />
            Delete all for good
          </Button>
        ) : null}
      </div>
      <ul
        aria-label={`Deleted models of ${name}`}
        className="divide-y divide-line rounded-lg border border-line bg-surface shadow-low"
      >
        {items.map((item) => (
          <Trashed key={`${item.id} ${item.number ?? ""}`} item={item} />
        ))}
      </ul>
      {isAsking ? <EmptyTrashDialog project={project} onClose={() => setAsking(false)} /> : null}
    </section>
  );
}

function EmptyTrashDialog({ project, onClose }: { project: TrashedModel["project"]; onClose: () => void }) {
  const emptyTrash = useEmptyTrash();

  async function confirm(): Promise<void> {
    await emptyTrash(project.id);
    toast.success(`The deleted models of “${project.name}” are removed for good.`);
    onClose();
  }

  return (
    <ConfirmDialog
      title="Delete all for good?"
      text={`All deleted models and versions of “${project.name}” are removed with their files, which frees their room. Nobody can restore them.`}
      action="Delete for good"
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}

function Trashed({ item }: { item: TrashedModel }) {
  const { id, name, number, versions, access, deleted_by } = item;
  const { restore, restoreVersion } = useModelActions(id);
  const [busy, setBusy] = useState(false);
  const what = number === null ? `“${name}”` : `Version ${number} of “${name}”`;

  async function takeBack(): Promise<void> {
    setBusy(true);
    try {
      await (number === null ? restore() : restoreVersion(number));
      toast.success(`${what} is back.`);
    } finally {
      setBusy(false);
    }
  }

  return (
    <li data-testid="trashed" className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-64">
        <p dir="auto" className="truncate font-medium">
          {number === null ? (
            oneLine(name)
          ) : (
            <Link to={modelAddress(id)} className="text-accent-text hover:underline">
              {oneLine(name)}, version {number}
            </Link>
          )}
        </p>
        <p className="text-sm text-ink-muted">
          {number === null ? `${counted(versions, "version")} · deleted ` : "Deleted "}
          <RelativeTime time={item.time_deleted} />
          {deleted_by ? ` by ${oneLine(personName(deleted_by))}` : ""} · removed for good on{" "}
          {dayWords(item.time_removed)}
        </p>
      </div>
      {access === "viewer" ? null : (
        <Button size="sm" busy={busy} aria-label={`Restore ${what}`} onClick={() => toastFailure(takeBack())}>
          <Undo2 className="size-3.5" aria-hidden="true" />
          Restore
        </Button>
      )}
    </li>
  );
}
