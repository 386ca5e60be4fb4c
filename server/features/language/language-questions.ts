import { readFile, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

import { language as limits } from "@miranda/contract/limits.ts";
import type { LanguageAnswer, LanguagePlace, LanguageQuestion } from "@miranda/contract/schemas/code/language.ts";

import {
  type ProtocolCompletion,
  type ProtocolHover,
  type ProtocolSignatures,
  textOf,
  toCompletion,
  toCompletions,
  toEdit,
  toSignatures,
} from "./language-answers.ts";
import { importRoots, type LanguageFolder } from "./language-folder.ts";
import type { PyrightProcess } from "./pyright-process.ts";
import { createLines, type Range } from "./text-lines.ts";

/** The last completions, kept here because they name files. Questions refer to them by index. */
export interface GivenCompletions {
  number: number;
  items: ProtocolCompletion[];
}

interface Asked {
  process: PyrightProcess;
  uri: string;
  text: string;
  folder: LanguageFolder;
  installed: string[];
  asker: { completions: GivenCompletions | undefined };
  signal: AbortSignal;
}

interface Location {
  uri: string;
  range: Range;
}

interface FileChanges {
  textDocument?: { uri: string };
  edits?: { range: Range; newText: string }[];
}

/** Asks the language server. Null when it has no answer. */
export async function answerTo(
  { process, uri, text, folder, installed, asker, signal }: Asked,
  question: LanguageQuestion,
  offset: number | undefined,
): Promise<LanguageAnswer | null> {
  const lines = createLines(text);
  const here = { textDocument: { uri }, position: lines.positionOf(offset ?? 0) };

  switch (question.kind) {
    case "completion": {
      const found = await process.ask<{ items: ProtocolCompletion[]; isIncomplete?: boolean }>(
        "textDocument/completion",
        here,
        signal,
      );
      if (!found) return null;
      const items = toCompletions(found.items);
      const number = (asker.completions?.number ?? 0) + 1;
      asker.completions = { number, items };
      const isWhole = found.isIncomplete !== true && found.items.length <= limits.completionsMax;
      return { kind: "completion", list: number, items: items.map((one) => toCompletion(one, lines)), isWhole };
    }
    case "description": {
      const given = asker.completions?.number === question.list ? asker.completions.items[question.item] : undefined;
      if (!given) return null;
      const item = await process.ask<ProtocolCompletion>("completionItem/resolve", given, signal);
      const about = textOf(item?.documentation);
      return about === "" ? null : { kind: "description", text: about };
    }
    case "hover": {
      const found = await process.ask<ProtocolHover>("textDocument/hover", here, signal);
      if (!found?.range) return null;
      const { start, end } = found.range;
      return { kind: "hover", text: textOf(found.contents), from: lines.offsetOf(start), to: lines.offsetOf(end) };
    }
    case "signature": {
      const found = await process.ask<ProtocolSignatures>("textDocument/signatureHelp", here, signal);
      return found && found.signatures.length > 0 ? { kind: "signature", ...toSignatures(found) } : null;
    }
    case "definition": {
      const found = await process.ask<Location | Location[]>("textDocument/definition", here, signal);
      const [first] = Array.isArray(found) ? found : [found];
      if (!first) return null;
      if (first.uri !== uri) {
        const place = await lookAt(first, folder, installed);
        return place && { kind: "definition", place };
      }
      const place = { from: lines.offsetOf(first.range.start), to: lines.offsetOf(first.range.end) };
      return { kind: "definition", place: { kind: "here", ...place } };
    }
    case "rename": {
      const asked = { ...here, newName: question.name };
      const found = await process.ask<{ documentChanges?: FileChanges[] }>("textDocument/rename", asked, signal);
      const mine = found?.documentChanges?.find(({ textDocument }) => textDocument?.uri === uri);
      const edits = (mine?.edits ?? []).map((one) => toEdit(one, lines));
      return edits.length > 0 ? { kind: "rename", edits } : null;
    }
  }
}

/** A file that node code imports, to read only: ours, Python's own, or an installed one. */
async function lookAt(
  { uri, range }: Location,
  folder: LanguageFolder,
  installed: string[],
): Promise<LanguagePlace | null> {
  try {
    const path = fileURLToPath(uri);
    const stubs = join(folder.pyright, "dist", "typeshed-fallback");
    const roots = [...importRoots(folder, installed), join(stubs, "stdlib"), join(stubs, "stubs")];
    const root = roots.find((one) => path.startsWith(one + sep));
    if (root === undefined || !(await realpath(path)).startsWith(root + sep)) return null;
    const text = (await readFile(path, "utf8")).replaceAll(/\r\n?/g, "\n");
    if (text.length > limits.fileMax) return null;
    return { kind: "file", name: relative(root, path), text, from: createLines(text).offsetOf(range.start) };
  } catch {
    return null;
  }
}
