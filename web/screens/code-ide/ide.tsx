import { useQueryClient } from "@tanstack/react-query";
import { Braces, X } from "lucide-react";
import * as Sheet from "radix-ui/dialog";
import { type ReactNode, Suspense, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { useNavigate, useParams } from "react-router";

import { lazyPart } from "../../load-part.ts";
import { triggeredBreakpoint } from "../../providers/debugger/breakpoint-list.ts";

import { codeKeys } from "../../api/code.ts";
import { CrashBesideCode } from "../../panels/crash/crash-beside-code.tsx";
import { LogsDock } from "../../panels/logs/logs-dock.tsx";
import { useLogOnRun } from "../../panels/logs/log-on-run.ts";
import { LastRunMetrics } from "../../panels/metrics/last-run-metrics.tsx";
import { ProcessorSide } from "../../panels/processor/processor-side.tsx";
import { useGraph } from "../../providers/object-provider.tsx";
import { useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { useUnsavedCode } from "../../providers/unsaved/use-unsaved-code.ts";
import { buttonClasses } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { EmptyState } from "../../ui/layout/empty-state.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { useMedia } from "../../ui/layout/use-media.ts";
import { AttributesPanel } from "./attributes-panel.tsx";
import { CodePane } from "../../panels/code/code-pane.tsx";
import { codeNodes, findNode } from "../../panels/code/code-text.ts";
import { FileList } from "./file-list.tsx";
import { IdeFind } from "./ide-find.tsx";
import { IdeContext, type IdeContextValue, useIde, useIdeView } from "../../panels/code/ide-context.tsx";
import { IdeComments, useCommentsOpen } from "./ide-comments.tsx";
import { IdeDialogs } from "../../panels/code/ide-dialogs.tsx";
import { useIdeStores } from "../../panels/code/use-ide-stores.ts";
import { PaneToolbar } from "./pane-toolbar.tsx";
import { StatusBar } from "../../panels/code/status-bar.tsx";
import { TabStrip } from "./tab-strip.tsx";
import { useFollowedCode } from "./use-followed-code.ts";
import { useIdeKeys } from "./use-ide-keys.ts";

// Writing code does not need the diff view, so it loads later.
const HistoryView = lazyPart(() => import("./history-view.tsx").then((m) => ({ default: m.HistoryView })));

// Nor does it need tables and pictures.
const NodeOutputs = lazyPart(() =>
  import("../../panels/outputs/node-outputs.tsx").then((m) => ({ default: m.NodeOutputs })),
);

interface IdeProps {
  /** The address of the IDE, without a trailing slash. */
  base: string;
  isHistory: boolean;
}

/** The IDE of a loaded graph. */
export function Ide({ base, isHistory }: IdeProps) {
  const value = useIdeValue(base);
  const { ide } = value;
  const { wobId, commitId } = useParams();
  const nodes = useGraph((view) => view.resolved.nodes);
  const viewOnly = useGraph((view) => view.viewOnly);
  // Without a node in the address, show the last open tab, or the first node.
  const [fallback] = useState(() => {
    const files = codeNodes(nodes);
    const tab = ide.get().tabs.findLast((id) => files.some((node) => node.metadata_id === id));
    return tab ?? files[0]?.metadata_id;
  });
  const found = findNode(nodes, wobId);
  const isCode = found?.class === "Code_block";
  const named = isCode ? found.metadata_id : ide.get().tabs.find((id) => String(id) === wobId);
  const active = wobId === undefined ? fallback : named;
  const node = active === undefined ? undefined : nodes[active];
  const tabs = useSyncExternalStore(ide.watch, () => ide.get().tabs);
  const drafts = useUnsavedCode();
  const hasCommentsOpen = useCommentsOpen();
  useOutputsOnRun(ide, active);
  useFollowedCode(ide, active);
  useIdeKeys(value, active, !viewOnly && node?.locked !== true, isHistory);

  useEffect(() => {
    if (active !== undefined) ide.openTab(active);
  }, [ide, active]);
  const client = useQueryClient();
  const source = node?.source_code;
  useEffect(() => {
    // A commit changed the node's code, so the list of commits is outdated.
    if (active !== undefined && source !== undefined)
      void client.invalidateQueries({ queryKey: codeKeys.commits(active), exact: true });
  }, [client, active, source]);

  return (
    <IdeContext value={value}>
      <div className="flex min-h-0 flex-1" data-testid="code-ide" data-follow-area="">
        <FilesAside>
          <FileList active={active} drafts={drafts} />
        </FilesAside>
        <div className="flex min-w-0 flex-1 flex-col">
          <TabStrip active={active} />
          {node ? <PaneToolbar node={node} isHistory={isHistory} /> : null}
          <div className="relative flex min-h-0 flex-1 max-lg:flex-col">
            <div className="flex min-h-0 min-w-0 flex-1 flex-col">
              {tabs.map((id) => (
                <CodePane key={id} metadataId={id} isActive={id === active && !isHistory} />
              ))}
              {isHistory && node ? (
                <Suspense fallback={<LoadingArea label="Loading the history" />}>
                  <HistoryView node={node} commitId={commitId} />
                </Suspense>
              ) : null}
              {active === undefined ? <NothingOpen wobId={wobId} isPolicy={found !== undefined && !isCode} /> : null}
            </div>
            {isHistory ? null : <CrashBesideCode isRight />}
            {node ? (
              <SidePanel
                isHistory={isHistory}
                isHidden={hasCommentsOpen}
                outputs={<NodeOutputs key={node.metadata_id} node={node.metadata_id} name={node.name} />}
              >
                <AttributesPanel node={node} />
              </SidePanel>
            ) : null}
            <IdeComments active={active} />
          </div>
          <BottomArea />
          {node && !isHistory ? <StatusBar node={node} /> : null}
        </div>
      </div>
      <IdeDialogs node={node} />
      <IdeFind active={active} />
    </IdeContext>
  );
}

function useIdeValue(base: string): IdeContextValue {
  const { ide, documents } = useIdeStores();
  const navigate = useNavigate();

  return useMemo(
    () => ({
      ide,
      documents,
      base,
      open: (metadataId, rest = "") => {
        ide.set({ files: false });
        void navigate(`${base}/${metadataId}${rest}`);
      },
      closeTab: (metadataId) => {
        const isShown = location.pathname.startsWith(`${base}/${metadataId}`) || location.pathname === base;
        const next = ide.closeTab(metadataId);
        documents.close(metadataId);
        ide.setUnsaved(metadataId, undefined);
        ide.setCheck(metadataId, undefined);
        if (isShown) void navigate(next === undefined ? `${base}/none` : `${base}/${next}`);
      },
    }),
    [ide, documents, base, navigate],
  );
}

function FilesAside({ children }: { children: ReactNode }) {
  const { ide } = useIde();
  const files = useIdeView((view) => view.files);
  const isWide = useMedia("(min-width: 768px)");
  if (isWide)
    return (
      <aside aria-label="Nodes" className="flex min-h-0 w-60 shrink-0 flex-col border-r border-line bg-sunken lg:w-64">
        {children}
      </aside>
    );
  return (
    <Sheet.Root open={files} onOpenChange={(isOpen) => ide.set({ files: isOpen })}>
      <Sheet.Portal>
        <Sheet.Overlay className="fixed inset-0 z-40 animate-fade bg-scrim" />
        <Sheet.Content
          aria-describedby={undefined}
          className="fixed inset-y-0 left-0 z-50 flex w-[min(20rem,85vw)] animate-fade flex-col bg-surface shadow-high focus-visible:outline-none"
        >
          <Sheet.Title className="px-4 pt-4 pb-1 font-semibold">Nodes</Sheet.Title>
          {children}
        </Sheet.Content>
      </Sheet.Portal>
    </Sheet.Root>
  );
}

const sideTitles = { attributes: "Attributes", processor: "Processor", outputs: "Outputs" } as const;

interface SidePanelProps {
  isHistory: boolean;
  /** Comments are in its place. */
  isHidden: boolean;
  outputs: ReactNode;
  children: ReactNode;
}

/** The processor panel stays mounted: its keys work whether it is shown or not. */
function SidePanel({ isHistory, isHidden, outputs, children }: SidePanelProps) {
  const { ide } = useIde();
  const chosen = useIdeView((view) => view.side);
  const side = isHidden || (isHistory && chosen !== "processor") ? null : chosen;
  const title = side === null ? "Attributes" : sideTitles[side];
  return (
    <aside
      aria-label={title}
      className={classes(
        "flex min-h-0 shrink-0 flex-col border-l border-line bg-surface",
        side === "outputs" ? "w-full lg:w-96 xl:w-md" : "w-72 xl:w-80",
        "max-lg:absolute max-lg:inset-y-0 max-lg:right-0 max-lg:z-20 max-lg:shadow-high",
        side === null && "hidden",
      )}
    >
      <header className="flex shrink-0 items-center justify-between border-b border-line py-1 pr-1 pl-3 lg:hidden">
        <h2 className="text-sm font-semibold text-ink-muted">{title}</h2>
        <IconButton icon={X} label="Close" onClick={() => side && ide.toggleSide(side)} />
      </header>
      <div className={classes("flex min-h-0 flex-1 flex-col", side !== "attributes" && "hidden")}>{children}</div>
      {side === "outputs" ? (
        <div className="min-h-0 flex-1 overflow-auto p-3">
          <Suspense fallback={<LoadingArea label="Loading the output" />}>{outputs}</Suspense>
        </div>
      ) : null}
      <div className={classes("flex min-h-0 flex-1 flex-col", side !== "processor" && "hidden")}>
        <ProcessorSide />
      </div>
    </aside>
  );
}

/** Shows outputs beside the code when the node runs, unless the person has closed them there. */
function useOutputsOnRun(ide: IdeContextValue["ide"], node: number | undefined): void {
  const { runs, clock } = useProcessor();
  const run = useSyncExternalStore(runs.watch, () => (node === undefined ? undefined : runs.outputOf(node)?.run));
  const isRunning = useSyncExternalStore(clock.watch, () => clock.get() !== undefined);
  useEffect(() => {
    // On a small screen it would cover the code.
    if (run !== undefined && isRunning && matchMedia("(min-width: 1024px)").matches) ide.showOutputs();
  }, [ide, run, isRunning]);
}

/** The log, or the metrics in its place. */
function BottomArea() {
  const { ide } = useIde();
  const hasLogs = useIdeView((view) => view.logs);
  const hasMetrics = useIdeView((view) => view.metrics);
  const stop = useProcessorState(({ debugging }) => debugging.exception ?? triggeredBreakpoint(debugging.breakpoints));
  const isStopped = stop !== undefined;
  useEffect(() => {
    // The pause or exception is shown in the log.
    if (stop) ide.set({ logs: true, metrics: false });
  }, [ide, stop]);
  useLogOnRun(() => ide.set({ logs: true }));
  if (!hasLogs && !hasMetrics) return null;
  return (
    <section
      // Metrics are a region of their own.
      aria-label={hasMetrics ? undefined : "Logs"}
      className={classes(
        "flex min-h-40 shrink-0 flex-col border-t border-line",
        // A pause or a chart needs more space than lines.
        isStopped || hasMetrics ? "h-[min(55%,28rem)]" : "h-[min(40%,22rem)]",
      )}
    >
      {hasMetrics ? <LastRunMetrics /> : <LogsDock />}
    </section>
  );
}

function NothingOpen({ wobId, isPolicy }: { wobId: string | undefined; isPolicy: boolean }) {
  const { ide } = useIde();
  const nodes = useGraph((view) => view.resolved.nodes);
  const isEmpty = codeNodes(nodes).length === 0;
  const isUnknown = wobId !== undefined && wobId !== "none";
  const title = isEmpty
    ? "No code yet"
    : isPolicy
      ? "A policy has no code"
      : isUnknown
        ? "Node not found"
        : "No node is open";
  return (
    <div className="m-auto w-full max-w-2xl p-4">
      <EmptyState
        icon={Braces}
        title={title}
        action={
          isEmpty ? null : (
            <button
              type="button"
              className={classes(buttonClasses(), "md:hidden")}
              onClick={() => ide.set({ files: true })}
            >
              Nodes
            </button>
          )
        }
      >
        {isEmpty
          ? "Add a code block to the workflow, and write its code here."
          : isUnknown && !isPolicy
            ? "It was deleted, or it is part of another workflow. Choose one from the list."
            : "Choose a node from the list."}
      </EmptyState>
    </div>
  );
}
