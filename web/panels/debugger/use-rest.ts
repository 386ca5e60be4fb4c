import { useMemo } from "react";

import type { Cut } from "@miranda/contract/schemas/processors.ts";

import { useProcessor } from "../../providers/processor/processor-provider.tsx";
import type { TreeRest } from "../../ui/json-tree.tsx";

/** Fetches the parts of a value that were cut, from the paused program. */
export function useRest(cuts: readonly Cut[] | undefined): TreeRest | undefined {
  const { actions } = useProcessor();
  return useMemo(
    () => cuts && { cuts, unfold: (reference: number, from: number) => actions.unfold({ reference, from }) },
    [cuts, actions],
  );
}
