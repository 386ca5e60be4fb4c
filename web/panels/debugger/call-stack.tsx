import { useNavigate } from "react-router";

import type { StackFrame } from "@miranda/contract/schemas/processors.ts";

import { useGraph } from "../../providers/object-provider.tsx";
import { useDebugger, useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { StackList } from "./stack-list.tsx";

const none: readonly StackFrame[] = [];

/** The call stack where a run is paused. */
export function CallStack() {
  const { debug, projectId, graphId } = useProcessor();
  const stack = useProcessorState(({ debugging }) => debugging.stop?.stack) ?? none;
  const chosen = useDebugger((state) => state.frame);
  const isViewOnly = useGraph((view) => view.viewOnly);
  const nodes = useGraph((view) => view.resolved.content.nodes);
  const navigate = useNavigate();
  const choose = ({ wob_key, line_number }: StackFrame, at: number) => {
    if (!isViewOnly) debug.chooseFrame(at);
    const code = `/designer/projects/${projectId}/graphs/${graphId}/code`;
    // Only from code to code: on the canvas the graph stays in view.
    if (wob_key !== null && location.pathname.startsWith(code)) void navigate(`${code}/${wob_key}?line=${line_number}`);
  };
  return <StackList stack={stack} chosen={chosen} nameOf={(node) => nodes[node]?.name} onChoose={choose} />;
}
