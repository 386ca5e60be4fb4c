import { useCallback, useMemo, useSyncExternalStore } from "react";

import { messages } from "@miranda/contract/words/messages.ts";

import { useAliveRun } from "../../api/runs/budgets.ts";
import { triggeredBreakpoint } from "../../providers/debugger/breakpoint-list.ts";

import { useGraph, useSession } from "../../providers/object-provider.tsx";
import { useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { FailedVariables, FixAndResume } from "../crash/failed-variables.tsx";
import { DebuggerPanel } from "../debugger/debugger-panel.tsx";
import { DebugControls } from "../processor/debug-controls.tsx";
import { AddPackage } from "./add-package.tsx";
import { FailedNodes } from "./failed-nodes.tsx";
import { LogsPanel } from "./logs-panel.tsx";
import { OfferPlainSample } from "./offer-plain-sample.tsx";
import { BreakNotice, ExceptionNotice } from "./notices.tsx";
import { useCurrentLog } from "./lines/use-current-log.ts";

/** The log of the open graph's processor, with its pause or exception. Fills its space. */
export function LogsDock() {
  const { graphId, projectId, reveal } = useProcessor();
  const { store, gap, isLoading, onEarlier } = useCurrentLog();
  const { store: graph } = useSession();
  const canReveal = useSyncExternalStore(reveal.watch, reveal.canShow);
  const codePath = useCallback(
    (nodeId: number) => `/designer/projects/${projectId}/graphs/${graphId}/code/${nodeId}`,
    [projectId, graphId],
  );
  const jump = useMemo(
    () => ({
      codePath,
      nameOf: (node: number) => graph.view().resolved.nodes[node]?.name,
      reveal: canReveal ? reveal.show : undefined,
    }),
    [codePath, graph, reveal, canReveal],
  );
  return (
    <LogsPanel
      store={store}
      gap={gap}
      name="session"
      isLoading={isLoading}
      onEarlier={onEarlier}
      jump={jump}
      notice={<Notice codePath={codePath} />}
      empty="Nothing has been printed yet. Start a session and run the workflow."
    />
  );
}

function Notice({ codePath }: { codePath: (nodeId: number) => string }) {
  const { graphId, store } = useProcessor();
  const isAtLimit = useAliveRun(graphId)?.budget_question != null;
  const hit = useProcessorState((state) => triggeredBreakpoint(state.debugging.breakpoints));
  const exception = useProcessorState((state) => state.debugging.exception);
  const nodeId = exception?.wobId ?? hit?.wobId;
  const name = useGraph((view) => (nodeId === undefined ? undefined : view.resolved.content.nodes[nodeId]?.name));
  if (exception) {
    return (
      <ExceptionNotice
        exception={exception}
        nodeName={name ?? `node ${exception.wobId}`}
        codePath={codePath(exception.wobId)}
        otherFailures={<FailedNodes shown={exception.wobId} />}
        onClose={store.dismissException}
        fix={
          <>
            <AddPackage exception={exception} onAdded={store.dismissException} />
            <OfferPlainSample exception={exception} />
            <FixAndResume exception={exception} />
          </>
        }
        variables={<FailedVariables exception={exception} />}
      />
    );
  }
  if (!hit) return null;
  return (
    <BreakNotice
      title={isAtLimit ? "Paused at its limit" : messages.breakpointHit}
      breakpoint={hit}
      nodeName={name}
      codePath={codePath(hit.wobId)}
      actions={<DebugControls compact />}
    >
      <DebuggerPanel />
    </BreakNotice>
  );
}
