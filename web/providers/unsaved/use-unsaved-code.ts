import { useSyncExternalStore } from "react";

import type { Draft } from "@miranda/contract/schemas/code.ts";

import { useSession } from "../../api/session.ts";
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

/** The unsaved code that a run takes only when it is asked to. */
export function useOthersCode(): { drafts: readonly Draft[]; included: ReadonlySet<number>; me: string | undefined } {
  const { unsaved } = useProcessor();
  const me = useSession().account?.username;
  const all = useUnsavedCode();
  const included = useSyncExternalStore(unsaved.watch, unsaved.included);
  return { drafts: all.filter((draft) => !isOwn(draft, me)), included, me };
}
