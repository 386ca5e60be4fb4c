import { type Diagnostic, forEachDiagnostic, setDiagnostics } from "@codemirror/lint";
import type { Text } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "react";

import { packageOfDiagnostic } from "@miranda/contract/packages/import-names.ts";
import { addPackage } from "@miranda/contract/packages/inline-metadata.ts";
import { replacement } from "@miranda/contract/replacement.ts";
import type { LanguageDiagnostic } from "@miranda/contract/schemas/code/language.ts";

import { useIde } from "./ide-context.tsx";

interface Problems {
  /** The error that keeps the node from working, and its line. */
  error: string | null;
  line: number | null;
  /** What the language server found. */
  found: readonly LanguageDiagnostic[];
}

/** Marks errors at their lines; an error without a line is marked at the first one. */
export function useDiagnostics(view: EditorView | null, metadataId: number, { error, line, found }: Problems): void {
  const { ide } = useIde();
  const last = useRef<{ found: readonly LanguageDiagnostic[]; own: Diagnostic | undefined }>({ found, own: undefined });
  useEffect(() => {
    if (!view) return;
    const { doc } = view.state;
    const own = error === null ? undefined : errorAt(doc, error, line ?? 1);
    // Earlier diagnostics have moved along with the code.
    const fromServer =
      last.current.found === found
        ? moved(view, last.current.own)
        : found.map((one) => withFix(view, one, toDiagnostic(one)));
    last.current = { found, own };
    const all = fromServer.filter((one) => one.to <= doc.length && !(own && isSameError(doc, one, own)));
    if (own) all.push(own);
    view.dispatch(setDiagnostics(view.state, all));
    const count = (severity: string) => all.filter((one) => one.severity === severity).length;
    ide.setProblems(metadataId, count("error"), count("warning"));
  }, [view, metadataId, error, line, found, ide]);
}

function moved(view: EditorView, own: Diagnostic | undefined): Diagnostic[] {
  const all: Diagnostic[] = [];
  forEachDiagnostic(view.state, (one, from, to) => {
    if (one !== own) all.push({ ...one, from, to });
  });
  return all;
}

/** Both describe the same broken line. Keep the node's own message: other places show it too. */
function isSameError(doc: Text, { from, severity }: Diagnostic, own: Diagnostic): boolean {
  return severity === "error" && doc.lineAt(from).from === doc.lineAt(own.from).from;
}

function errorAt(doc: Text, message: string, line: number): Diagnostic {
  const at = doc.line(Math.max(1, Math.min(line, doc.lines)));
  const from = at.from + (at.text.length - at.text.trimStart().length);
  return { from: Math.min(from, at.to), to: at.to, severity: "error", message };
}

/** Offers to add the package that a missing import needs. */
function withFix(view: EditorView, { rule, message }: LanguageDiagnostic, diagnostic: Diagnostic): Diagnostic {
  const name = rule === "reportMissingImports" ? packageOfDiagnostic(message) : undefined;
  if (name === undefined || view.state.readOnly || !isAddable(view, name)) return diagnostic;
  return { ...diagnostic, actions: [{ name: `Add ${name} to this node`, apply: (shown) => add(shown, name) }] };
}

const isAddable = (view: EditorView, name: string): boolean =>
  typeof addPackage(view.state.doc.toString(), name) !== "string";

function add(view: EditorView, name: string): void {
  const before = view.state.doc.toString();
  const added = addPackage(before, name);
  const change = typeof added === "string" ? undefined : replacement(before, added.source);
  if (!change || view.state.readOnly) return;
  view.dispatch({ changes: { from: change.from, to: change.from + change.remove, insert: change.insert } });
  view.focus();
}

function toDiagnostic({ from, to, severity, message, rule, isUnused }: LanguageDiagnostic): Diagnostic {
  return {
    from,
    to,
    severity,
    message,
    ...(rule !== undefined && { source: rule }),
    ...(isUnused && { markClass: "cm-unused" }),
  };
}
