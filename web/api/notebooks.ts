import type { SplitCode, NotebookCell } from "@miranda/contract/schemas/code/notebooks.ts";

import { call } from "./http.ts";

/** The cells of a notebook, or the text of a script. */
export type CodeToSplit = { name: string } & ({ cells: readonly NotebookCell[] } | { text: string; splits?: boolean });

/** What code would become. Nothing is stored. */
export function splitCode(graphId: string, code: CodeToSplit): Promise<SplitCode> {
  const fields =
    "cells" in code ? { name: code.name, cells: JSON.stringify(code.cells) } : { ...code, splits: code.splits ?? true };
  return call<SplitCode>(`/api/v3/graphs/${graphId}/split`, { method: "POST", fields });
}
