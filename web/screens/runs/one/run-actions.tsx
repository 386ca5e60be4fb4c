import { useQueryClient } from "@tanstack/react-query";
import { Copy, Ellipsis, FolderOpen, GitCompareArrows, PencilRuler, RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import { Link, useNavigate } from "react-router";

import { callAddress } from "../../../api/deployments/calls.ts";
import { graphAddress } from "../../../api/graphs.ts";
import { deleteRun, refetchRuns, runAddress, runsAddress } from "../../../api/runs/runs.ts";
import { useOpenRun } from "../../../panels/runs/open-run.tsx";
import { isLive } from "../../../panels/runs/run-words.ts";
import { Button } from "../../../ui/button.tsx";
import { writeClipboard } from "../../../ui/copy-button.tsx";
import { IconButton } from "../../../ui/icon-button.tsx";
import { ConfirmDialog } from "../../../ui/overlay/confirm-dialog.tsx";
import { Dropdown, DropdownItem, DropdownSeparator } from "../../../ui/overlay/dropdown.tsx";
import { toastFailure } from "../../../ui/overlay/toast-failure.ts";
import { toast } from "../../../ui/overlay/toast.ts";
import { ChooseRunDialog } from "./choose-run-dialog.tsx";
import { RunAgainDialog } from "./run-again-dialog.tsx";

async function copyLink(runId: string): Promise<void> {
  await writeClipboard(new URL(runAddress(runId), location.origin).href);
  toast.success("Copied the link.");
}

/** What can be done with a run. */
export function RunActions() {
  const { run, mayWrite, isGone } = useOpenRun();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [dialog, setDialog] = useState<"compare" | "again" | "delete" | null>(null);
  const close = () => setDialog(null);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button size="sm" disabled={isGone} onClick={() => setDialog("compare")}>
        <GitCompareArrows className="size-3.5" aria-hidden="true" />
        Compare with…
      </Button>
      {mayWrite ? (
        <Button size="sm" disabled={isGone || run.version === null} onClick={() => setDialog("again")}>
          <RotateCcw className="size-3.5" aria-hidden="true" />
          Run again exactly so
        </Button>
      ) : null}
      <Dropdown trigger={<IconButton icon={Ellipsis} label="More" />}>
        <DropdownItem onSelect={() => toastFailure(copyLink(run.id))}>
          <Copy className="size-4" aria-hidden="true" />
          Copy link
        </DropdownItem>
        <DropdownItem asChild>
          <Link to={graphAddress(run.graph.project_id, run.graph.id)}>
            <FolderOpen className="size-4" aria-hidden="true" />
            Open the workflow
          </Link>
        </DropdownItem>
        {mayWrite && run.source !== "person" ? (
          <DropdownItem asChild>
            <Link to={callAddress(run.graph.project_id, run.graph.id, run.id)}>
              <PencilRuler className="size-4" aria-hidden="true" />
              Open in Designer with its inputs
            </Link>
          </DropdownItem>
        ) : null}
        {mayWrite && !isGone ? (
          <>
            <DropdownSeparator />
            <DropdownItem danger disabled={isLive(run)} onSelect={() => setDialog("delete")}>
              <Trash2 className="size-4" aria-hidden="true" />
              Delete…
            </DropdownItem>
          </>
        ) : null}
      </Dropdown>
      {dialog === "compare" ? <ChooseRunDialog run={run} onClose={close} /> : null}
      {dialog === "again" ? <RunAgainDialog run={run} onClose={close} /> : null}
      {dialog === "delete" ? (
        <ConfirmDialog
          title={`Delete run ${run.number}`}
          text="Are you sure you want to delete this run? Its timeline, outputs and metrics are deleted. This action cannot be undone."
          action="Delete"
          onClose={close}
          onConfirm={async () => {
            await deleteRun(run.id);
            refetchRuns(client);
            await navigate(runsAddress({ graph: run.graph.id }), { replace: true });
          }}
        />
      ) : null}
    </div>
  );
}
