import { notebook as limits } from "@miranda/contract/limits.ts";
import type { NotebookCell } from "@miranda/contract/schemas/code/notebooks.ts";

import { isRecord } from "../../is-record.ts";

/** The cells of a notebook without what they showed: outputs may be a hundred times as large as the code. */
export function readNotebook(text: string): NotebookCell[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error("This is not a notebook: it is not JSON.");
  }
  const cells = isRecord(value) ? cellsOf(value) : undefined;
  if (!cells) throw new Error("This is not a notebook: it has no cells.");
  const language = isRecord(value) ? languageOf(value) : "python";
  if (!/^(?:i?python[\d.]*|xpython)$/i.test(language))
    throw new Error(`This notebook is in ${language.slice(0, 40)}. Only notebooks in Python can become nodes.`);
  if (cells.length > limits.cellsMax)
    throw new Error(
      `This notebook has ${cells.length.toLocaleString("en")} cells. At most ${limits.cellsMax.toLocaleString("en")} can become nodes.`,
    );
  const read = cells.map(readCell);
  if (!read.some(({ kind, source }) => kind === "code" && source.trim() !== ""))
    throw new Error("This notebook has no code.");
  if (read.reduce((sum, { source }) => sum + source.length, 0) > limits.charactersMax)
    throw new Error(`The code of this notebook has more than ${limits.charactersMax.toLocaleString("en")} characters.`);
  return read;
}

/** Whether a text looks like a notebook, so that reading it is worth the time. */
export function looksLikeNotebook(text: string): boolean {
  return /^\s*\{/.test(text) && /"(?:cells|worksheets)"\s*:/.test(text);
}

/** What its kernel runs. Notebooks without a word about it are in Python. */
function languageOf({ metadata }: Record<string, unknown>): string {
  if (!isRecord(metadata)) return "python";
  const { language_info: info, kernelspec } = metadata;
  const language: unknown = (isRecord(info) && info["name"]) || (isRecord(kernelspec) && kernelspec["language"]);
  return typeof language === "string" ? language : "python";
}

/** Format 4 has cells; format 3 has them in worksheets. */
function cellsOf({ cells, worksheets }: Record<string, unknown>): unknown[] | undefined {
  if (Array.isArray(cells)) return cells;
  if (!Array.isArray(worksheets)) return undefined;
  return worksheets.flatMap((sheet: unknown) =>
    isRecord(sheet) && Array.isArray(sheet["cells"]) ? sheet["cells"] : [],
  );
}

function readCell(cell: unknown): NotebookCell {
  if (!isRecord(cell)) throw new Error("This is not a notebook: one of its cells cannot be read.");
  const { cell_type, source, input, metadata } = cell;
  const lines: unknown = source ?? input ?? "";
  const text = Array.isArray(lines) ? lines.join("") : typeof lines === "string" ? lines : "";
  const kind = cell_type === "code" || cell_type === "markdown" ? cell_type : "raw";
  // Format 3 has headings of their own.
  if (cell_type === "heading") return { kind: "markdown", source: `## ${text}` };
  const tags: unknown = isRecord(metadata) ? metadata["tags"] : undefined;
  const fails = Array.isArray(tags) && tags.includes("raises-exception");
  return { kind, source: text, ...(fails ? { fails } : {}) };
}
