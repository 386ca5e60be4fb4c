import { useSyncExternalStore } from "react";

import type { Draft } from "@miranda/contract/schemas/code.ts";

import { useSession } from "../../api/account/session.ts";
import { useGraph } from "../object-provider.tsx";
import { useProcessor } from "../processor/processor-provider.tsx";
import { isOwn } from "./unsaved-code.ts";

export function useUnsavedCode(): readonly Draft[] {
  const { unsaved } = useProcessor();
  return useSyncExternalStore(unsaved.watch, unsaved.all);
}

/** Draws again only when this node's unsaved code comes, goes, or gets another author. */
export function useUnsavedCodeOf(node: number): Draft | undefined {
  const { unsaved } = useProcessor();
  return useSyncExternalStore(unsaved.watch, () => unsaved.of(node));
}

/** The unsaved code that a run takes only when it is asked to. Nodes that are locked or disabled are left out of a run. */
export function useOthersCode(): { drafts: readonly Draft[]; included: ReadonlySet<number>; me: string | undefined } {
  const { unsaved } = useProcessor();
  const me = useSession().account?.username;
  const all = useUnsavedCode();
  const included = useSyncExternalStore(unsaved.watch, unsaved.included);
  const others = all.filter((draft) => !isOwn(draft, me));
  // As text: the nodes are other objects with every change of the graph.
  const taken = useGraph(({ resolved: { nodes } }) =>
    others
      .map(({ metadata_id }) => metadata_id)
      .filter((id) => nodes[id] && !nodes[id].locked && !nodes[id].api.disabled)
      .join(),
  );
  const ids = new Set(taken.split(",").map(Number));
  return { drafts: others.filter(({ metadata_id }) => ids.has(metadata_id)), included, me };
}
