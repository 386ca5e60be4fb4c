import type { CutCode, NotebookCell } from "@miranda/contract/schemas/notebooks.ts";

import { call } from "./http.ts";

/** The cells of a notebook, or the text of a script. */
export type CodeToCut = { name: string } & ({ cells: readonly NotebookCell[] } | { text: string; cuts?: boolean });

/** What code would become. Nothing is stored. */
export function cutCode(graphId: string, code: CodeToCut): Promise<CutCode> {
  const fields =
    "cells" in code ? { name: code.name, cells: JSON.stringify(code.cells) } : { ...code, cuts: code.cuts ?? true };
  return call<CutCode>(`/api/v3/graphs/${graphId}/cut`, { method: "POST", fields });
}
