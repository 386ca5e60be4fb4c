import "../../ui/code-editor/code-editor.css";

import { useEffect, useMemo, useRef, useState } from "react";
import { useLocation, useSearchParams } from "react-router";

import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { checkCode } from "../../api/code.ts";
import { logWarning } from "../../log.ts";
import { classes } from "../../ui/classes.ts";
import { showLine } from "../../ui/code-editor/line-mark.ts";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { errorLine, oneLineEnd } from "./code-text.ts";
import { useIde, useIdeView, useMayWrite, useNode, useSharedCode } from "./ide-context.tsx";
import { PaneNotices } from "./pane-notices.tsx";
import type { SharedCode } from "./shared-code.ts";
import { useCodeView } from "./use-code-view.ts";
import { useDiagnostics } from "./use-diagnostics.ts";
import { useLineComments } from "../comments/use-line-comments.ts";
import { useLineWriters } from "../comments/use-line-writers.ts";
import { useLanguage } from "./use-language.ts";

const checkAfter = 600;

interface CodePaneProps {
  metadataId: number;
  isActive: boolean;
  /** Whether there are no tabs around it. */
  isAlone?: boolean;
  takesFocus?: boolean;
}

/** One tab: the code of one node. It stays mounted while another tab is shown, so that no remote change is missed. */
export function CodePane({ metadataId, isActive, isAlone = false, takesFocus = true }: CodePaneProps) {
  const { documents } = useIde();
  const code = useMemo(() => documents.get(metadataId), [documents, metadataId]);
  const host = useRef<HTMLDivElement>(null);
  const node = useNode(metadataId);
  const mayWrite = useMayWrite(metadataId);
  const { live } = useSharedCode(code);
  const view = useCodeView(code, host, mayWrite);
  const fontSize = useIdeView((ide) => ide.fontSize);
  const check = useIdeView((ide) => ide.checks.get(metadataId));
  const text = useText(code, node, isActive);
  const error = check ? check.error : text.isUnsaved ? null : (node?.api.error ?? null);
  const found = useLanguage(code, view, isActive);
  useDiagnostics(view, metadataId, { error, line: check ? check.error_line : errorLine(error), found });
  useReopen(code, mayWrite, node !== undefined);
  useLineComments(code, view, node?.name ?? "", isActive);
  useLineWriters(code, view, node);

  const [params] = useSearchParams();
  // Navigating to the same line again shows it again.
  const { key: visit } = useLocation();
  const shownVisit = useRef("");
  const line = Number(params.get("line") ?? Number.NaN);
  useEffect(() => {
    if (!view || !isActive) return;
    if (Number.isSafeInteger(line) && shownVisit.current !== visit) showLine(view, line, true);
    shownVisit.current = visit;
    view.requestMeasure();
    // Taking the focus would close a menu that the person has opened meanwhile.
    const isElsewhere = document.activeElement?.closest("[role=menu], [role=dialog]");
    if (takesFocus && !isElsewhere && !matchMedia("(pointer: coarse)").matches) view.focus();
  }, [view, isActive, line, visit, takesFocus]);

  return (
    <div
      {...(isAlone
        ? { role: "group", "aria-label": `Code of ${node?.name ?? "a deleted node"}` }
        : { role: "tabpanel", id: `code-panel-${metadataId}`, "aria-labelledby": `code-tab-${metadataId}` })}
      className={classes("flex min-h-0 flex-1 flex-col", !isActive && "hidden")}
      data-testid={isActive ? "code-pane" : undefined}
      data-node-id={metadataId}
    >
      <PaneNotices code={code} node={node} mayWrite={mayWrite} />
      {live ? null : <LoadingArea label="Opening the code" />}
      <div ref={host} className={classes("code-host", !live && "hidden")} style={{ "--code-size": `${fontSize}px` }} />
    </div>
  );
}

/** Whether the text differs from the node's code, and, after a pause, what the text declares. */
function useText(code: SharedCode, node: Node | undefined, isActive: boolean): { isUnsaved: boolean } {
  const { ide } = useIde();
  const { live } = useSharedCode(code);
  const [isUnsaved, setUnsaved] = useState(false);
  const [version, setVersion] = useState(0);
  const { metadataId } = code;
  const saved = useMemo(() => oneLineEnd(node?.source_code ?? ""), [node?.source_code]);
  const exists = node !== undefined;

  useEffect(() => {
    if (!live || !exists) return;
    const check = () => {
      const unsaved = live.text.length !== saved.length || live.text.toJSON() !== saved;
      setUnsaved(unsaved);
      ide.setUnsaved(metadataId, unsaved);
      if (!unsaved) ide.setCheck(metadataId, undefined);
      setVersion((count) => count + 1);
    };
    check();
    live.text.observe(check);
    return () => live.text.unobserve(check);
  }, [live, saved, exists, ide, metadataId]);

  useEffect(() => {
    if (!live || !isUnsaved || !isActive || version === 0) return;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      checkCode(metadataId, live.text.toJSON(), controller.signal).then(
        (check) => ide.setCheck(metadataId, check),
        (cause: unknown) => {
          if (!controller.signal.aborted) logWarning("The code could not be checked.", cause);
        },
      );
    }, checkAfter);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [live, isUnsaved, isActive, version, ide, metadataId]);
  return { isUnsaved };
}

/** Reopens the document when the person becomes an editor or a deleted node is back. */
function useReopen(code: SharedCode, mayWrite: boolean, exists: boolean): void {
  const before = useRef({ mayWrite, exists });
  useEffect(() => {
    const gained = (mayWrite && !before.current.mayWrite) || (exists && !before.current.exists);
    before.current = { mayWrite, exists };
    if (gained) code.open();
  }, [code, mayWrite, exists]);
}
