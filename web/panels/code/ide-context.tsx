import { createContext, useContext, useSyncExternalStore } from "react";

import { useGraph } from "../../providers/object-provider.tsx";
import type { Ide, IdeView } from "./ide-state.ts";
import type { OpenDocuments } from "./open-documents.ts";
import type { SharedCode, SharedCodeState } from "./shared-code.ts";

export interface IdeContextValue {
  ide: Ide;
  documents: OpenDocuments;
  /** The address of the IDE, without a trailing slash. */
  base: string;
  open: (metadataId: number, rest?: string) => void;
  closeTab: (metadataId: number) => void;
}

export const IdeContext = createContext<IdeContextValue | undefined>(undefined);

export function useIde(): IdeContextValue {
  const value = useContext(IdeContext);
  if (!value) throw new Error("This needs an IDE around it.");
  return value;
}

export function useIdeView<Part>(select: (view: IdeView) => Part): Part {
  const { ide } = useIde();
  return useSyncExternalStore(ide.watch, () => select(ide.get()));
}

export function useSharedCode(code: SharedCode): SharedCodeState {
  return useSyncExternalStore(code.watch, code.state);
}

export function useNode(metadataId: number | undefined) {
  return useGraph((view) => (metadataId === undefined ? undefined : view.resolved.nodes[metadataId]));
}

/** Readers may not write, and nobody may write a locked node. */
export function useMayWrite(metadataId: number): boolean {
  return useGraph((view) => !view.viewOnly && view.resolved.nodes[metadataId]?.locked !== true);
}
