import type { SplitCode, NotebookCell } from "@miranda/contract/schemas/code/notebooks.ts";

import { call } from "./http.ts";

/** The cells of a notebook, or the text of a script. */
export type CodeToSplit = { name: string } & ({ cells: readonly NotebookCell[] } | { text: string });

/** What code would become: one node, or several. Nothing is stored. `together`: cells up to it stay in one node. */
export function splitCode(graphId: string, code: CodeToSplit, splits: boolean, together = 0): Promise<SplitCode> {
  const text = "cells" in code ? { cells: JSON.stringify(code.cells) } : { text: code.text };
  const fields = { name: code.name, ...text, splits, together };
  return call<SplitCode>(`/api/v3/graphs/${graphId}/split`, { method: "POST", fields });
}
