import { useQuery } from "@tanstack/react-query";
import { Check, GitCompareArrows, TextCursorInput, Wrench, X } from "lucide-react";
import { useState } from "react";
import { Link, useParams, useSearchParams } from "react-router";

import type { CallInDesigner } from "@miranda/contract/schemas/deployments/calls.ts";

import { callInDesignerQuery } from "../../../api/deployments/calls.ts";
import { deploymentQuery } from "../../../api/deployments/deployments.ts";
import { exceptionsQuery, fixAddress } from "../../../api/runs/crashes.ts";
import { runAddress } from "../../../api/runs/runs.ts";
import { versionQuery } from "../../../api/versions.ts";
import { Button, buttonClasses } from "../../../ui/button.tsx";
import { counted } from "../../../ui/counted.ts";
import { IconButton } from "../../../ui/icon-button.tsx";
import { toastFailure } from "../../../ui/overlay/toast-failure.ts";
import { oneLine } from "../../../ui/text/drawable-text.ts";
import { useEditor, useView, useViewOnly } from "../editor-context.tsx";
import { compareAddress, historyAddress, versionKey } from "../history/version-addresses.ts";
import { useRevision } from "../history/use-revision.ts";
import { callValues } from "./call-values.ts";

/** Over the canvas, when a call of the deployment was opened: its inputs to try, what differs, and the way to the fault. */
export function CallNotice() {
  const { graphId = "" } = useParams();
  const [params, setParams] = useSearchParams();
  const callId = params.get("call");
  const isViewOnly = useViewOnly();
  const isOpen = callId !== null && !isViewOnly;
  const { data: deployment } = useQuery({ ...deploymentQuery(graphId), enabled: isOpen });
  const { data: opened, error } = useQuery({
    ...callInDesignerQuery(deployment?.id ?? "", callId ?? ""),
    enabled: isOpen && Boolean(deployment),
  });
  if (!isOpen) return null;
  const close = () =>
    setParams(
      (now) => {
        now.delete("call");
        return now;
      },
      { replace: true },
    );
  const failure = error?.message ?? (deployment === null ? "This workflow is no longer deployed." : undefined);
  if (!opened && failure === undefined) return null;
  return (
    <section
      aria-label="The opened call"
      data-covers=""
      data-testid="call-notice"
      className="pointer-events-auto flex w-120 max-w-full flex-col gap-2.5 rounded-xl border border-line bg-surface p-3 shadow-high"
    >
      {opened ? (
        <Opened callId={callId} opened={opened} onClose={close} />
      ) : (
        <p className="flex items-start justify-between gap-2 text-sm text-danger-text">
          {failure}
          <IconButton icon={X} label="Close" onClick={close} className="size-7" />
        </p>
      )}
    </section>
  );
}

interface OpenedProps {
  callId: string;
  opened: CallInDesigner;
  onClose: () => void;
}

function Opened({ callId, opened, onClose }: OpenedProps) {
  const { projectId = "", graphId = "" } = useParams();
  const { session } = useEditor();
  const nodes = useView((view) => view.resolved.nodes);
  const { command, changed, gone, connected } = callValues(opened.values, nodes);
  const [wasPut, setPut] = useState(false);
  const { data: exceptions } = useQuery(exceptionsQuery(callId));
  const exception = exceptions?.find(({ wob_key }) => wob_key === opened.failed_node) ?? exceptions?.[0];
  const failed = opened.failed_node === null ? undefined : nodes[opened.failed_node];
  const words = exception ? oneLine(exception.traceback.trimEnd().split("\n").at(-1) ?? "") : "";
  return (
    <>
      <header className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <h2 className="text-sm font-semibold">
            <Link to={runAddress(callId)} className="hover:underline">
              {failed ? `A call failed in ${oneLine(failed.name)}` : "A call of the deployment"}
            </Link>
          </h2>
          {words === "" ? null : (
            <p dir="auto" className="line-clamp-2 font-mono text-xs break-words text-danger-text" title={words}>
              {words}
            </p>
          )}
        </div>
        <IconButton icon={X} label="Close" onClick={onClose} className="size-7" />
      </header>
      <Differences opened={opened} />
      {gone > 0 ? (
        <p className="text-xs text-warning-text">
          {counted(gone, "input")} {gone === 1 ? "has" : "have"} no field in the workflow any more.
        </p>
      ) : null}
      {connected > 0 ? (
        <p className="text-xs text-warning-text">
          {counted(connected, "input")} cannot be tried: an edge sets the field now.
        </p>
      ) : null}
      <div className="flex flex-wrap items-center gap-2">
        {command ? (
          <Button
            size="sm"
            variant="primary"
            onClick={() => {
              setPut(true);
              toastFailure(session.run(command));
            }}
          >
            <TextCursorInput className="size-3.5" aria-hidden="true" />
            {changed === 1 ? "Use the input of the call" : `Use the ${changed} inputs of the call`}
          </Button>
        ) : opened.values.length > gone + connected ? (
          <output className="flex items-center gap-1.5 text-sm text-success-text">
            <Check className="size-3.5" aria-hidden="true" />
            {wasPut ? "The inputs are in the fields. Undo takes them back." : "The fields have the inputs of the call."}
          </output>
        ) : null}
        {exception && exception.wob_key !== null ? (
          <Link
            to={fixAddress({ id: graphId, project_id: projectId }, callId, exception)}
            className={buttonClasses({ size: "sm" })}
          >
            <Wrench className="size-3.5" aria-hidden="true" />
            Fix and resume
          </Link>
        ) : null}
      </div>
    </>
  );
}

/** The version that the call ran, and whether the workflow is still like it. */
function Differences({ opened: { version } }: { opened: CallInDesigner }) {
  const { projectId = "", graphId = "" } = useParams();
  const revision = useRevision();
  const { data } = useQuery(versionQuery(graphId, version.id));
  const name = `“${oneLine(version.name)}”${version.number === null ? "" : ` #${version.number}`}`;
  const hasChanged = data !== undefined && revision > data.revision;
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-ink-muted">
      {hasChanged ? `The call ran ${name}. The workflow has changed since.` : `The call ran ${name}.`}
      {hasChanged ? (
        <>
          <Link
            to={compareAddress(projectId, graphId, { before: versionKey(version) })}
            className="flex items-center gap-1 text-accent-text hover:underline"
          >
            <GitCompareArrows className="size-3" aria-hidden="true" />
            What differs
          </Link>
          <Link
            to={historyAddress(projectId, graphId, versionKey(version))}
            className="text-accent-text hover:underline"
          >
            Open that version
          </Link>
        </>
      ) : null}
    </p>
  );
}
