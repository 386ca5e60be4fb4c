import { useQuery } from "@tanstack/react-query";
import { Bug, Play, X } from "lucide-react";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { useLocation, useSearchParams } from "react-router";

import { canCreate } from "@miranda/contract/processor.ts";
import type { StackFrame } from "@miranda/contract/schemas/processors.ts";

import { exceptionsQuery, readCrashName } from "../../api/runs/crashes.ts";
import type { OpenCrash } from "../../providers/debugger/crash-store.ts";
import { useGraph } from "../../providers/object-provider.tsx";
import { useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { oneLine } from "../../ui/text/drawable-text.ts";
import { useIde } from "../code/ide-context.tsx";
import { CrashFrames } from "./crash-frames.tsx";

interface CrashBesideCodeProps {
  /** Whether there is room for it at the right of the code. Else it is below. */
  isRight: boolean;
}

/** The values at a crash, beside the code that is being fixed. Stays until it is closed. */
export function CrashBesideCode({ isRight }: CrashBesideCodeProps) {
  const { crash } = useProcessor();
  const open = useSyncExternalStore(crash.watch, crash.get);
  const isViewOnly = useGraph((view) => view.viewOnly);
  useCrashInAddress();
  if (!open) return null;
  return (
    <section
      aria-label="Values at the crash"
      className={classes(
        "flex min-h-0 shrink-0 flex-col border-line bg-surface",
        isRight ? "border-t max-lg:h-[55%] lg:w-96 lg:border-t-0 lg:border-l" : "h-[45%] border-t",
      )}
    >
      <Head open={open} />
      <Frames open={open} isReader={isViewOnly} />
      {isViewOnly ? null : <Resume />}
    </section>
  );
}

/** Opens the crash that the address names, once for each visit: a closed panel stays closed. */
function useCrashInAddress(): void {
  const { crash } = useProcessor();
  const { ide } = useIde();
  const [params] = useSearchParams();
  const { key: visit } = useLocation();
  const opened = useRef("");
  const name = readCrashName(params.get("crash"));
  const { data: exceptions } = useQuery(exceptionsQuery(name?.runId));
  const runId = name?.runId;
  const exception = exceptions?.find(({ number }) => number === name?.number);
  useEffect(() => {
    if (runId === undefined || !exception || opened.current === visit) return;
    opened.current = visit;
    crash.open(runId, exception);
    // Code and values need the room.
    ide.set({ side: null, ...(matchMedia("(max-width: 1023px)").matches && { logs: false, metrics: false }) });
  }, [crash, ide, runId, exception, visit]);
}

function Head({ open: { exception } }: { open: OpenCrash }) {
  const { crash } = useProcessor();
  const summary = oneLine(exception.traceback.trimEnd().split("\n").at(-1) ?? "");
  return (
    <header className="flex shrink-0 items-start gap-2 border-b border-line py-1.5 pr-1 pl-3">
      <Bug className="mt-1 size-4 shrink-0 text-danger-text" aria-hidden="true" />
      <div className="min-w-0 flex-1">
        <h3 className="text-sm font-semibold">Values at the crash</h3>
        <p className="line-clamp-2 font-mono text-xs break-words text-danger-text" title={summary}>
          {summary}
        </p>
      </div>
      <IconButton icon={X} label="Close the values" onClick={crash.close} className="size-7" />
    </header>
  );
}

function Frames({ open: { exception, frame }, isReader }: { open: OpenCrash; isReader: boolean }) {
  const { crash } = useProcessor();
  const { open: openCode } = useIde();
  const nodes = useGraph((view) => view.resolved.content.nodes);
  const choose = ({ wob_key, line_number }: StackFrame, at: number) => {
    crash.chooseFrame(at);
    if (wob_key !== null && nodes[wob_key]) openCode(wob_key, `?line=${line_number}`);
  };
  return (
    <CrashFrames
      exception={exception}
      isReader={isReader}
      frame={frame}
      nameOf={(node) => nodes[node]?.name}
      onFrame={choose}
    />
  );
}

function Resume() {
  const { actions } = useProcessor();
  const shown = useProcessorState((state) => state.shown);
  const isWaiting = useProcessorState((state) => state.waitingOnTag !== null);
  const mayRun = !isWaiting && (shown === "READY" || canCreate(shown));
  return (
    <footer className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-3 py-2">
      <Button
        size="sm"
        variant="primary"
        disabled={!mayRun}
        onClick={() => toastFailure(actions.run({ mode: "changed", resume: true }, false))}
      >
        <Play className="size-3.5" aria-hidden="true" />
        Resume
      </Button>
      <p className="min-w-0 flex-1 text-xs text-ink-muted">Saves your code and runs what changed.</p>
    </footer>
  );
}
