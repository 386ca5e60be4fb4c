import { useCallback, useRef } from "react";
import { useSearchParams } from "react-router";

import { useOpenRun } from "../../../panels/runs/open-run.tsx";
import { NodePanel } from "../node/node-panel.tsx";
import { findNode } from "../timeline/timeline-nodes.ts";
import { Timeline } from "../timeline/timeline.tsx";

/** The timeline, and what is known about the chosen node. The node is part of the address. */
export function TimelineView() {
  const { run } = useOpenRun();
  const [params, setParams] = useSearchParams();
  const panel = useRef<HTMLElement>(null);
  const asked = Number(params.get("node") ?? Number.NaN);
  const node = findNode(run, asked);
  const choose = useCallback((key: number) => setParams({ node: `${key}` }, { replace: true }), [setParams]);
  return (
    <div className="relative flex min-h-0 flex-1">
      <Timeline run={run} chosen={node?.wob_key} onChoose={choose} onOpen={() => panel.current?.focus()} />
      {node ? <NodePanel ref={panel} node={node} onClose={() => setParams({}, { replace: true })} /> : null}
    </div>
  );
}
