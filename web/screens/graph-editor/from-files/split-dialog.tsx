import { TriangleAlert } from "lucide-react";
import { useState } from "react";

import type { Position } from "@miranda/contract/schemas/nodes.ts";
import type { SplitCode } from "@miranda/contract/schemas/code/notebooks.ts";

import { type CodeToSplit, splitCode } from "../../../api/notebooks.ts";
import { messageOf } from "../../../message-of.ts";
import { Button } from "../../../ui/button.tsx";
import { FormAlert } from "../../../ui/form/field.tsx";
import { Dialog } from "../../../ui/overlay/dialog.tsx";
import { useEditor } from "../editor-context.tsx";

interface SplitDialogProps {
  code: CodeToSplit;
  split: SplitCode;
  at: Position | undefined;
  onClose: () => void;
}

/** Shows what a notebook or a script becomes, before anything is added. */
export function SplitDialog({ code, split, at, onClose }: SplitDialogProps) {
  const { actions, session } = useEditor();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const count = split.nodes.length;
  const links = new Set(split.edges.map((edge) => `${edge.source_wob_key} ${edge.destination_wob_key}`)).size;

  async function add(splits: boolean): Promise<void> {
    setBusy(true);
    try {
      const chosen = splits || !("text" in code) ? split : await splitCode(session.graphId, { ...code, splits: false });
      if (await actions.addSplit(chosen, at)) onClose();
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
      title={`${code.name} becomes ${countOf(count, "node")}`}
      description={`${countOf(split.cells, "cell")} of code, ${countOf(links, "connection")}. Nothing of it has been run.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {"text" in code && count > 1 ? (
            <Button busy={busy} onClick={() => void add(false)}>
              Keep it as one node
            </Button>
          ) : null}
          <Button variant="primary" busy={busy} disabled={count === 0} onClick={() => void add(true)}>
            Add {countOf(count, "node")}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        {problem ? <FormAlert message={problem} /> : null}
        {split.remarks.length > 0 ? (
          <section aria-label="Needs attention">
            <h3 className="mb-1.5 flex items-center gap-2 text-sm font-semibold text-warning-text">
              <TriangleAlert className="size-4" aria-hidden="true" />
              Needs attention
            </h3>
            <ul className="divide-y divide-line rounded-lg border border-line">
              {split.remarks.map(({ cell, text }) => (
                <li key={`${cell} ${text}`} className="flex gap-3 px-3 py-2 text-sm">
                  <span className="w-14 shrink-0 text-ink-faint tabular-nums">
                    {cell === null ? "" : `Cell ${cell}`}
                  </span>
                  <span dir="auto" className="min-w-0 wrap-anywhere">
                    {text}
                  </span>
                </li>
              ))}
            </ul>
          </section>
        ) : null}
        <section aria-label="Nodes">
          <h3 className="mb-1.5 text-sm font-semibold">Nodes</h3>
          <ol className="divide-y divide-line rounded-lg border border-line">
            {split.nodes.map((node) => (
              <li key={node.key} className="flex items-baseline justify-between gap-3 px-3 py-2 text-sm">
                <span dir="auto" className="min-w-0 truncate font-medium">
                  {node.name}
                </span>
                <span className="max-w-[55%] truncate text-xs text-ink-muted">{portsOf(split, node.key)}</span>
              </li>
            ))}
          </ol>
        </section>
      </div>
    </Dialog>
  );
}

function portsOf({ edges }: SplitCode, key: string): string {
  const taken = edges.filter((edge) => edge.destination_wob_key === key).map((edge) => edge.destination_receiver_key);
  const given = edges.filter((edge) => edge.source_wob_key === key).map((edge) => edge.source_transmitter_key);
  const list = (names: string[]) => [...new Set(names)].join(", ");
  return [list(taken), list(given)].map((names) => names || "–").join(" → ");
}

function countOf(count: number, word: string): string {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}
