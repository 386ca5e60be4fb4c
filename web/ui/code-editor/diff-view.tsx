import "./code-editor.css";

import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "react";

import { viewing } from "./extensions.ts";

interface DiffViewProps {
  before: string;
  after: string;
  mode: "split" | "unified";
  label: string;
}

const readOnly = [
  viewing,
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
  EditorView.contentAttributes.of({ tabindex: "0" }),
  EditorView.lineWrapping,
];
const collapseUnchanged = { margin: 3, minSize: 6 };
// Above this a precise diff would freeze the page, so a rougher one is used.
const diffConfig = { scanLimit: 2_000, timeout: 1_000 };

/** The difference between two texts, side by side or in one column. */
export function DiffView({ before, after, mode, label }: DiffViewProps) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const parent = host.current;
    if (!parent) return;
    // When one of them is empty, everything was added or removed, and marking every word is useless.
    const highlightChanges = before !== "" && after !== "";
    if (mode === "split") {
      const merge = new MergeView({
        a: { doc: before, extensions: readOnly },
        b: { doc: after, extensions: readOnly },
        parent,
        collapseUnchanged,
        diffConfig,
        gutter: true,
        highlightChanges,
      });
      return () => merge.destroy();
    }
    const merge = unifiedMergeView({
      original: before,
      mergeControls: false,
      collapseUnchanged,
      diffConfig,
      highlightChanges,
    });
    const view = new EditorView({ doc: after, extensions: [readOnly, merge], parent });
    return () => view.destroy();
  }, [before, after, mode]);
  return <section ref={host} aria-label={label} className="code-host" data-testid="diff" data-mode={mode} />;
}
