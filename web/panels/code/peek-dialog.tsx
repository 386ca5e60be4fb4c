import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "react";

import { viewing } from "../../ui/code-editor/extensions.ts";
import { lineMark, setLineMark, showLine } from "../../ui/code-editor/line-mark.ts";
import { Dialog } from "../../ui/overlay/dialog.tsx";

export interface Peek {
  name: string;
  text: string;
  from: number;
}

/** Shows a file that the code uses: from the package miranda, from Python, or an installed package. Read-only. */
export function PeekDialog({ peek, onClose }: { peek: Peek; onClose: () => void }) {
  return (
    <Dialog open onOpenChange={onClose} title={peek.name} description="Read-only." wide>
      <PeekText {...peek} />
    </Dialog>
  );
}

/** A separate component: the dialog mounts its content only after its own first render. */
function PeekText({ text, from }: Peek) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const parent = host.current;
    if (!parent) return;
    const readOnly = [EditorState.readOnly.of(true), EditorView.editable.of(false)];
    const view = new EditorView({ doc: text, extensions: [viewing, lineMark, readOnly], parent });
    const { number } = view.state.doc.lineAt(Math.min(from, view.state.doc.length));
    view.dispatch({ effects: setLineMark.of({ line: number, kind: "running" }) });
    showLine(view, number);
    return () => view.destroy();
  }, [text, from]);
  return (
    <div
      ref={host}
      className="code-host h-[min(60vh,34rem)]! overflow-hidden rounded-md border border-line"
      data-testid="peek"
    />
  );
}
