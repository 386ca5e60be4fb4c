import { language as limits } from "@miranda/contract/limits.ts";
import type {
  LanguageCompletion,
  LanguageDiagnostic,
  LanguageSignature,
  TextEdit,
} from "@miranda/contract/schemas/code/language.ts";

import type { Lines, Range } from "./text-lines.ts";

// The language server's answers, translated to ours. Numbers are those of the protocol.

type Markup = string | { value: string } | undefined;

interface ProtocolEdit {
  range: Range;
  newText: string;
}

export interface ProtocolCompletion {
  label: string;
  kind?: number;
  sortText?: string;
  labelDetails?: { description?: string };
  documentation?: Markup;
  insertText?: string;
  textEdit?: ProtocolEdit;
  additionalTextEdits?: ProtocolEdit[];
}

export interface ProtocolHover {
  contents: Markup;
  range?: Range;
}

export interface ProtocolSignatures {
  signatures: {
    label: string;
    documentation?: Markup;
    parameters?: { label: string | [number, number] }[];
    activeParameter?: number;
  }[];
  activeSignature?: number;
  activeParameter?: number;
}

interface ProtocolDiagnostic {
  range: Range;
  severity?: number;
  code?: string | number;
  message: string;
  tags?: number[];
}

const kinds = [
  "text",
  "method",
  "function",
  "method",
  "property",
  "variable",
  "class",
  "interface",
  "namespace",
  "property",
  "constant",
  "constant",
  "enum",
  "keyword",
];
const severities = ["error", "warning", "info", "hint"] as const;

export function textOf(markup: Markup): string {
  const text = typeof markup === "string" ? markup : (markup?.value ?? "");
  return text.length > limits.textMax ? `${text.slice(0, limits.textMax)}…` : text;
}

export function toEdit({ range, newText }: ProtocolEdit, lines: Lines): TextEdit {
  return { from: lines.offsetOf(range.start), to: lines.offsetOf(range.end), insert: newText };
}

/** Hide the inside of our own package, and other nodes. */
function isOffered({ labelDetails, additionalTextEdits }: ProtocolCompletion): boolean {
  const source = labelDetails?.description ?? "";
  return additionalTextEdits === undefined || !/^miranda\.|^_|\._|^node_\d+$/.test(source);
}

export function toCompletions(items: readonly ProtocolCompletion[]): ProtocolCompletion[] {
  return items
    .filter(isOffered)
    .toSorted((one, other) => compare(one.sortText ?? one.label, other.sortText ?? other.label))
    .slice(0, limits.completionsMax);
}

export function toCompletion(item: ProtocolCompletion, lines: Lines): LanguageCompletion {
  const { label, kind = 1, sortText, labelDetails, insertText, textEdit, additionalTextEdits } = item;
  const edit = textEdit && toEdit(textEdit, lines);
  return {
    label,
    kind: kinds[kind - 1] ?? "text",
    sort: sortText ?? label,
    ...(labelDetails?.description !== undefined && { source: labelDetails.description }),
    ...(edit ? { edit } : {}),
    ...(insertText !== undefined && !edit && insertText !== label ? { label: insertText } : {}),
    ...(additionalTextEdits?.length ? { more: additionalTextEdits.map((one) => toEdit(one, lines)) } : {}),
  };
}

export function toSignatures({ signatures, activeSignature = 0, activeParameter = 0 }: ProtocolSignatures): {
  signatures: LanguageSignature[];
  active: number;
} {
  const all = signatures.slice(0, 20).map((one) => ({
    label: one.label,
    text: textOf(one.documentation),
    active: one.activeParameter ?? activeParameter,
    parameters: (one.parameters ?? []).map(({ label }): [number, number] =>
      typeof label === "string" ? placeOf(label, one.label) : label,
    ),
  }));
  return { signatures: all, active: Math.min(activeSignature, all.length - 1) };
}

function placeOf(part: string, whole: string): [number, number] {
  const at = whole.indexOf(part);
  return [Math.max(at, 0), Math.max(at, 0) + (at < 0 ? 0 : part.length)];
}

export function toDiagnostics(given: readonly unknown[], text: string, lines: Lines): LanguageDiagnostic[] {
  // The names of a node's packages are known once they are installed.
  const hasPackages = /^# \/\/\/ script/m.test(text);
  // Not checked one by one: there are hundreds at every pause in typing, and pyright is ours.
  return (given as ProtocolDiagnostic[])
    .filter(({ code }) => !(hasPackages && code === "reportMissingImports"))
    .map(({ range, severity = 1, code, message, tags }): LanguageDiagnostic => ({
      from: lines.offsetOf(range.start),
      to: lines.offsetOf(range.end),
      severity: severities[severity - 1] ?? "error",
      message: message.slice(0, limits.textMax),
      ...(code !== undefined && { rule: String(code) }),
      ...(tags?.includes(1) && { isUnused: true as const }),
    }))
    .toSorted((one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity))
    .slice(0, limits.diagnosticsMax);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
