import { createContext, type ReactNode, useContext } from "react";

import type { ModelDetails } from "@miranda/contract/schemas/models/versions.ts";

/** The model whose page is open. */
export interface OpenModel {
  model: ModelDetails;
  mayWrite: boolean;
}

const OpenModelContext = createContext<OpenModel | undefined>(undefined);

export function OpenModelProvider({ open, children }: { open: OpenModel; children: ReactNode }) {
  return <OpenModelContext value={open}>{children}</OpenModelContext>;
}

export function useOpenModel(): OpenModel {
  const open = useContext(OpenModelContext);
  if (!open) throw new Error("There is no open model around this.");
  return open;
}
