import { useQuery } from "@tanstack/react-query";
import {
  ArrowLeft,
  Copy,
  Download,
  Ellipsis,
  FilePlus2,
  GitCompareArrows,
  RotateCcw,
  Rocket,
  Tag,
  Trash2,
} from "lucide-react";
import { useState } from "react";
import { Link, useNavigate } from "react-router";

import type { Version } from "@miranda/contract/schemas/versions.ts";

import { graphAddress } from "../../../api/graphs.ts";
import { versionModelsQuery } from "../../../api/models/lineage.ts";
import { now } from "../../../api/versions.ts";
import { filesAddress } from "../../../api/workflow-files.ts";
import { MadeModels } from "../../../panels/models/made-models.tsx";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { Button, buttonClasses } from "../../../ui/button.tsx";
import { writeClipboard } from "../../../ui/copy-button.tsx";
import { counted } from "../../../ui/counted.ts";
import { IconButton } from "../../../ui/icon-button.tsx";
import { Dropdown, DropdownItem, DropdownSeparator } from "../../../ui/overlay/dropdown.tsx";
import { toastFailure } from "../../../ui/overlay/toast-failure.ts";
import { toast } from "../../../ui/overlay/toast.ts";
import { LongText } from "../../../ui/text/long-text.tsx";
import { nobodyWords, versionTitle } from "./timeline-rows.ts";
import { useRestore } from "./use-restore.ts";
import { compareAddress, historyAddress, versionKey } from "./version-addresses.ts";
import { DeleteVersionDialog, NewWorkflowDialog } from "./version-dialogs.tsx";

interface VersionBarProps {
  projectId: string;
  graphId: string;
  /** What is shown: a version, the workflow as it is, or a version that is not here (yet). */
  shown: Version | "now" | "loading" | "missing";
  mayWrite: boolean;
  onName: () => void;
  onPublish: () => void;
}

/** The shown version: what it is, and what can be done with it. */
export function VersionBar(props: VersionBarProps) {
  const { projectId, graphId, shown } = props;
  const version = typeof shown === "string" ? null : shown;
  return (
    <>
      <header className="flex min-h-16 shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-surface px-4 py-2 max-sm:px-3">
        <Link
          to={historyAddress(projectId, graphId)}
          aria-label="All versions"
          className={buttonClasses({ variant: "ghost", size: "icon" }, "md:hidden")}
        >
          <ArrowLeft className="size-4" aria-hidden="true" />
        </Link>
        <div className="min-w-0 flex-1 basis-48">
          <h1 className="flex items-center gap-2 font-semibold">
            <span dir="auto" className="truncate" data-testid="shown-version">
              {typeof shown === "string" ? titleWords[shown] : versionTitle(shown)}
            </span>
            {version?.time_published ? <Badge tone="success">Published</Badge> : null}
          </h1>
          <p className="truncate text-sm text-ink-muted">
            {version ? <Byline version={version} /> : shown === "now" ? "The workflow as it is" : null}
          </p>
        </div>
        {version ? <PastActions {...props} version={version} /> : shown === "now" ? <NowActions {...props} /> : null}
      </header>
      {version?.message ? (
        <p
          dir="auto"
          data-testid="version-message"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long message scrolls
          tabIndex={0}
          className="max-h-24 shrink-0 overflow-y-auto border-b border-line bg-surface px-4 py-2 text-sm max-sm:px-3 wrap-anywhere whitespace-pre-wrap -outline-offset-2"
        >
          <LongText text={version.message} />
        </p>
      ) : null}
      {version ? <VersionModels graphId={graphId} version={version.id} /> : null}
    </>
  );
}

/** The models that runs of this version made. */
function VersionModels({ graphId, version }: { graphId: string; version: string }) {
  const { data: models } = useQuery(versionModelsQuery(graphId, version));
  if (!models || models.length === 0) return null;
  return (
    <div className="flex shrink-0 items-baseline gap-3 border-b border-line bg-surface px-4 py-2 text-sm max-sm:px-3">
      <span className="text-ink-muted">Models</span>
      <MadeModels models={models} />
    </div>
  );
}

const titleWords = { now: "Now", loading: "Loading…", missing: "Version not found" } as const;

function Byline({ version }: { version: Version }) {
  const { author, number, nodes, time_created } = version;
  return (
    <>
      {number === null ? null : `#${number} · `}
      {author ? `${author.first_name} ${author.last_name}` : nobodyWords(version)} ·{" "}
      <RelativeTime time={time_created} /> · {counted(nodes, "node")}
    </>
  );
}

function NowActions({ projectId, graphId, mayWrite, onName, onPublish }: VersionBarProps) {
  const open = (
    <Link
      to={graphAddress(projectId, graphId)}
      // Three buttons do not fit on a phone. There the arrow in the top bar leads back.
      className={buttonClasses({ size: "sm" }, mayWrite ? "max-sm:hidden" : undefined)}
    >
      Open the workflow
    </Link>
  );
  if (!mayWrite) return open;
  return (
    <div className="flex gap-2">
      {open}
      <Button size="sm" onClick={onName}>
        <Tag className="size-3.5" aria-hidden="true" />
        Name this version
      </Button>
      <Button size="sm" variant="primary" onClick={onPublish}>
        <Rocket className="size-3.5" aria-hidden="true" />
        Publish
      </Button>
    </div>
  );
}

function PastActions({ projectId, graphId, version, mayWrite }: VersionBarProps & { version: Version }) {
  const navigate = useNavigate();
  const restore = useRestore();
  const [isBusy, setBusy] = useState(false);
  const [dialog, setDialog] = useState<"delete" | "workflow" | null>(null);
  const key = versionKey(version);

  async function restoreAll(): Promise<void> {
    setBusy(true);
    const isDone = await restore(version.id, `Restored “${versionTitle(version)}”.`);
    setBusy(false);
    if (isDone) await navigate(graphAddress(projectId, graphId));
  }

  async function copyLink(): Promise<void> {
    await writeClipboard(new URL(historyAddress(projectId, graphId, key), location.origin).href);
    toast.success("Copied the link.");
  }

  return (
    <div className="flex items-center gap-2">
      <Link
        to={compareAddress(projectId, graphId, { before: key, after: now })}
        className={buttonClasses({ size: "sm" })}
      >
        <GitCompareArrows className="size-3.5" aria-hidden="true" />
        Compare with now
      </Link>
      {mayWrite ? (
        <Button size="sm" variant="primary" busy={isBusy} onClick={() => void restoreAll()}>
          <RotateCcw className="size-3.5" aria-hidden="true" />
          Restore
        </Button>
      ) : null}
      <Dropdown trigger={<IconButton icon={Ellipsis} label="More" />}>
        <DropdownItem onSelect={() => setDialog("workflow")}>
          <FilePlus2 className="size-4" aria-hidden="true" />
          New workflow from it…
        </DropdownItem>
        <DropdownItem onSelect={() => toastFailure(copyLink())}>
          <Copy className="size-4" aria-hidden="true" />
          Copy link
        </DropdownItem>
        <DropdownItem asChild>
          <a href={filesAddress(graphId, key)} download>
            <Download className="size-4" aria-hidden="true" />
            Export files (.zip)
          </a>
        </DropdownItem>
        {mayWrite && version.number !== null ? (
          <>
            <DropdownSeparator />
            <DropdownItem danger onSelect={() => setDialog("delete")}>
              <Trash2 className="size-4" aria-hidden="true" />
              Delete…
            </DropdownItem>
          </>
        ) : null}
      </Dropdown>
      {dialog === "delete" ? (
        <DeleteVersionDialog projectId={projectId} version={version} onClose={() => setDialog(null)} />
      ) : null}
      {dialog === "workflow" ? (
        <NewWorkflowDialog projectId={projectId} version={version} onClose={() => setDialog(null)} />
      ) : null}
    </div>
  );
}
