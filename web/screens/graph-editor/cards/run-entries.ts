import { useGraph } from "../../../providers/object-provider.tsx";
import { toastFailure } from "../../../ui/overlay/toast-failure.ts";
import { useProcessor, useProcessorState } from "../../../providers/processor/processor-provider.tsx";

import { canCreate } from "@miranda/contract/processor.ts";

interface RunEntry {
  does: string;
  run: () => void;
}

const ways = [
  ["one", "Run this node"],
  ["to", "Run up to here"],
  ["from", "Run from here"],
] as const;

/** The run entries of a node's menu; empty while the processor is busy. */
export function useRunEntries(node: number | undefined): RunEntry[] {
  const { actions, debugMode } = useProcessor();
  const shown = useProcessorState((state) => state.shown);
  const isWaiting = useProcessorState((state) => state.waitingOnTag !== null);
  const isCode = useGraph((view) => view.resolved.nodes[node ?? -1]?.class === "Code_block");
  if (node === undefined || !isCode || isWaiting || !(shown === "READY" || canCreate(shown))) return [];
  return ways.map(([mode, does]) => ({
    does,
    run: () => toastFailure(actions.run({ mode, node }, debugMode.isOn())),
  }));
}
