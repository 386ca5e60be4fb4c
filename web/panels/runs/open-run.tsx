import { createContext, type ReactNode, use } from "react";

import type { RunDetails } from "@miranda/contract/schemas/runs.ts";

/** The run whose page is open. */
export interface OpenRun {
  run: RunDetails;
  /** Whether this person may run and delete. */
  mayWrite: boolean;
  /** It was deleted while the page is open. What was loaded stays. */
  isGone: boolean;
}

const OpenRunContext = createContext<OpenRun | undefined>(undefined);

export function OpenRunProvider({ open, children }: { open: OpenRun; children: ReactNode }) {
  return <OpenRunContext value={open}>{children}</OpenRunContext>;
}

export function useOpenRun(): OpenRun {
  const open = use(OpenRunContext);
  if (!open) throw new Error("This is part of the page of a run.");
  return open;
}
