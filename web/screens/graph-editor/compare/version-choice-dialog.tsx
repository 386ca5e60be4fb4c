import { useInfiniteQuery } from "@tanstack/react-query";
import { ArrowLeft, Workflow as WorkflowIcon } from "lucide-react";
import { useMemo, useState } from "react";

import type { Version } from "@miranda/contract/schemas/versions.ts";

import { loadMore } from "../../../api/pages.ts";
import { now, versionsQuery } from "../../../api/versions.ts";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { Button } from "../../../ui/button.tsx";
import { LoadFailure } from "../../../ui/layout/load-failure.tsx";
import { LoadingArea } from "../../../ui/layout/spinner.tsx";
import { VirtualList } from "../../../ui/layout/virtual-list.tsx";
import { Dialog } from "../../../ui/overlay/dialog.tsx";
import { versionTitle } from "../history/timeline-rows.ts";
import { versionKey } from "../history/version-addresses.ts";
import { WorkflowSearch } from "./workflow-search.tsx";

interface VersionChoiceDialogProps {
  title: string;
  /** The workflow whose versions are offered. */
  graphId: string;
  /** The version that is compared now. */
  chosen: string | undefined;
  onChoose: (version: string) => void;
  /** Begins with the search for another workflow. */
  startsElsewhere?: boolean;
  /** Offers other workflows too. */
  onChooseWorkflow?: ((graphId: string) => void) | undefined;
  onClose: () => void;
}

/** Chooses one side of a comparison: a version, the workflow as it is, or another workflow. */
export function VersionChoiceDialog(props: VersionChoiceDialogProps) {
  const { title, graphId, chosen, onChoose, startsElsewhere = false, onChooseWorkflow, onClose } = props;
  const [isElsewhere, setElsewhere] = useState(startsElsewhere);
  return (
    <Dialog open onOpenChange={onClose} title={isElsewhere ? "Choose another workflow" : title}>
      {isElsewhere && onChooseWorkflow ? (
        <>
          <Button variant="ghost" size="sm" className="mb-2 -ml-2" onClick={() => setElsewhere(false)}>
            <ArrowLeft className="size-3.5" aria-hidden="true" />
            Versions of this workflow
          </Button>
          <WorkflowSearch exclude={graphId} onChoose={({ id }) => onChooseWorkflow(id)} />
        </>
      ) : (
        <>
          {onChooseWorkflow ? (
            <Button size="sm" className="mb-3" onClick={() => setElsewhere(true)}>
              <WorkflowIcon className="size-3.5" aria-hidden="true" />
              Another workflow…
            </Button>
          ) : null}
          <VersionChoices graphId={graphId} chosen={chosen} onChoose={onChoose} />
        </>
      )}
    </Dialog>
  );
}

type VersionChoicesProps = Pick<VersionChoiceDialogProps, "graphId" | "chosen" | "onChoose">;

function VersionChoices({ graphId, chosen, onChoose }: VersionChoicesProps) {
  const query = useInfiniteQuery(versionsQuery(graphId));
  const versions = useMemo(() => query.data?.pages.flatMap((page) => page.versions) ?? [], [query.data]);
  if (query.isPending) return <LoadingArea label="Loading the versions" />;
  if (query.isError && versions.length === 0)
    return (
      <LoadFailure
        title="The versions could not be loaded."
        message={query.error.message}
        onRetry={() => void query.refetch()}
      />
    );
  return (
    <VirtualList<Version | null>
      label="Versions"
      items={[null, ...versions]}
      itemKey={(version) => version?.id ?? now}
      rowHeight={36}
      className="-mx-2 max-h-[50dvh] overflow-y-auto pb-2"
      onEndNear={() => loadMore(query)}
      renderItem={(version) => (
        <button
          type="button"
          onClick={() => onChoose(version ? versionKey(version) : now)}
          aria-current={chosen === (version ? versionKey(version) : now) ? "true" : undefined}
          className="flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left -outline-offset-2 hover:bg-hover aria-[current]:bg-accent-soft"
        >
          <span dir="auto" className={version?.number === null ? "truncate text-ink-muted" : "truncate font-medium"}>
            {version ? versionTitle(version) : "Now"}
          </span>
          {version?.number ? <span className="text-xs text-ink-faint tabular-nums">#{version.number}</span> : null}
          <span className="ml-auto shrink-0 text-xs text-ink-muted">
            {version ? <RelativeTime time={version.time_created} /> : "The workflow as it is"}
          </span>
        </button>
      )}
    />
  );
}
