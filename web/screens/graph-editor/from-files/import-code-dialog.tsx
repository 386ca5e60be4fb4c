import { TriangleAlert } from "lucide-react";
import { useState } from "react";

import type { Position } from "@miranda/contract/schemas/nodes.ts";
import type { SplitCode } from "@miranda/contract/schemas/code/notebooks.ts";

import type { CodeToSplit } from "../../../api/notebooks.ts";
import { messageOf } from "../../../message-of.ts";
import { Button } from "../../../ui/button.tsx";
import { FormAlert } from "../../../ui/form/field.tsx";
import { Dialog } from "../../../ui/overlay/dialog.tsx";
import { useEditor } from "../editor-context.tsx";

interface ImportCodeDialogProps {
  code: CodeToSplit;
  whole: SplitCode;
  at: Position | undefined;
  onClose: () => void;
}

/** What needs attention in a notebook or a script, before it is added as one node. */
export function ImportCodeDialog({ code, whole, at, onClose }: ImportCodeDialogProps) {
  const { actions } = useEditor();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const isEmpty = whole.nodes.length === 0;

  async function add(): Promise<void> {
    setBusy(true);
    try {
      if (await actions.addSplit(whole, at)) onClose();
    } catch (cause) {
      setProblem(messageOf(cause));
    } finally {
      setBusy(false);
    }
  }

  return (
    <Dialog
      open
      wide
      reading
      onOpenChange={onClose}
      title={`Add ${code.name}`}
      description={`It becomes one node, which runs exactly as the ${"cells" in code ? "notebook" : "script"} did. Nothing of it has been run.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={busy} disabled={isEmpty} onClick={() => void add()}>
            Add node
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        {problem ? <FormAlert message={problem} /> : null}
        <section aria-label="Needs attention">
          <h3 className="mb-1.5 flex items-center gap-2 text-sm font-semibold text-warning-text">
            <TriangleAlert className="size-4" aria-hidden="true" />
            Needs attention
          </h3>
          <ul className="divide-y divide-line rounded-lg border border-line">
            {whole.remarks.map(({ cell, text }) => (
              <li key={`${cell} ${text}`} className="flex gap-3 px-3 py-2 text-sm">
                {cell === null ? null : (
                  <span className="w-14 shrink-0 text-ink-faint tabular-nums">{`Cell ${cell}`}</span>
                )}
                <span dir="auto" className="min-w-0 wrap-anywhere">
                  {text}
                </span>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </Dialog>
  );
}
