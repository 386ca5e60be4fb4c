import { useQuery } from "@tanstack/react-query";
import { CircleCheck, TriangleAlert } from "lucide-react";
import { type ReactNode, useId, useState } from "react";

import { messages } from "@miranda/contract/words/messages.ts";
import type { WorkflowState } from "@miranda/contract/processor.ts";
import type { SplitCode } from "@miranda/contract/schemas/code/notebooks.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { splitCode } from "../../../api/notebooks.ts";
import { messageOf } from "../../../message-of.ts";
import { useProcessor, useProcessorState } from "../../../providers/processor/processor-provider.tsx";
import { Button } from "../../../ui/button.tsx";
import { FormAlert } from "../../../ui/form/field.tsx";
import { Spinner } from "../../../ui/layout/spinner.tsx";
import { Dialog } from "../../../ui/overlay/dialog.tsx";
import { useEditor } from "../editor-context.tsx";
import { type Comparison, compareSplit, lastDifferent } from "./compare-split.ts";

interface SplitDialogProps {
  node: Node;
  onClose: () => void;
}

/** Splits an imported node, once a run of both has shown that they give the same. */
export function SplitDialog({ node, onClose }: SplitDialogProps) {
  const { actions, session, ui } = useEditor();
  const { actions: processor } = useProcessor();
  const state = useProcessorState(({ shown }) => shown);
  const reasonId = useId();
  const [together, setTogether] = useState(0);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [different, setDifferent] = useState<Comparison>();
  const code = { name: "", text: node.source_code };
  const { data: split, error } = useQuery({
    queryKey: ["split", session.graphId, node.metadata_id, node.source_code, together],
    queryFn: () => splitCode(session.graphId, code, true, together),
    retry: false,
    refetchInterval: false,
  });
  const count = split?.nodes.length ?? 0;
  const reason = busy ? "" : reasonOf(state);

  async function compare(parts: SplitCode): Promise<void> {
    setBusy(true);
    setProblem(undefined);
    setDifferent(undefined);
    try {
      const found = await compareSplit(processor.compile, node, parts);
      if (!found.same) {
        setDifferent(found);
        setTogether(Math.max(together, lastDifferent(found)));
      } else if (await actions.addSplit(parts, node.position)) {
        ui.select([node.metadata_id]);
        actions.remove();
        onClose();
      }
    } catch (cause) {
      const words = messageOf(cause);
      setProblem(words === messages.compileTimedOut ? tooLong : words);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Dialog
      open
      wide
      onOpenChange={onClose}
      title={`Split ${node.name} into nodes`}
      description="Nodes that do not need each other run at once, and Run repeats only what changed. The session first runs both ways once and compares the prints, values and pictures of every cell. The node is only replaced when nothing differs."
      footer={
        <>
          {reason && count > 1 ? (
            <p id={reasonId} className="basis-full text-sm text-ink-muted">
              {reason}
            </p>
          ) : null}
          <Button onClick={onClose}>{count === 1 ? "Close" : "Cancel"}</Button>
          {count > 1 && split ? (
            <Button
              variant="primary"
              busy={busy}
              disabled={reason !== ""}
              aria-describedby={reason ? reasonId : undefined}
              onClick={() => void compare(split)}
            >
              Compare and split
            </Button>
          ) : null}
        </>
      }
    >
      <div className="flex flex-col gap-5" aria-live="polite">
        {problem || error ? <FormAlert message={problem ?? messageOf(error)} /> : null}
        {busy ? <Spinner label="Running the notebook as one node, then each of the nodes" showLabel /> : null}
        {different ? <Different found={different} /> : null}
        {split ? <Parts split={split} /> : error ? null : <Spinner label="Reading the code" showLabel />}
      </div>
    </Dialog>
  );
}

const tooLong = "The comparison takes longer than a minute, so nothing is replaced. Interrupt ends it in the session.";

/** Why a comparison cannot begin. */
function reasonOf(state: WorkflowState | undefined): string {
  if (state === "READY") return "";
  if (state === "RUNNING" || state === "RESUMEREADY") return "Wait until the run has ended.";
  return "Run this node first, so that a session has its packages.";
}

function Different({ found: { problem, cells } }: { found: Comparison }) {
  return (
    <section aria-label="What differs" className="flex gap-2 rounded-lg bg-warning-soft p-3 text-sm text-warning-text">
      <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
      <p dir="auto" className="min-w-0 wrap-anywhere">
        {problem || `Apart, ${listed(cells)} printed or showed something else.`} Nothing was replaced.
        {cells.length > 0 ? " These cells and those above them now stay together." : ""}
      </p>
    </section>
  );
}

function Parts({ split }: { split: SplitCode }) {
  if (split.nodes.length < 2)
    return (
      <>
        <p className="flex items-center gap-2 text-sm">
          <CircleCheck className="size-4 shrink-0 text-success-text" aria-hidden="true" />
          It stays one node: its cells depend on each other.
        </p>
        <Together together={split.together} />
      </>
    );
  return (
    <>
      <section aria-label="Nodes">
        <h3 className="mb-1.5 text-sm font-semibold">{split.nodes.length} nodes</h3>
        <List>
          {split.nodes.map((node) => (
            <li key={node.key} className="flex items-baseline justify-between gap-3 px-3 py-2 text-sm">
              <span dir="auto" className="min-w-0 truncate font-medium">
                {node.name}
              </span>
              <span className="max-w-[55%] truncate text-xs text-ink-muted">{portsOf(split, node.key)}</span>
            </li>
          ))}
        </List>
      </section>
      <Together together={split.together} />
    </>
  );
}

function Together({ together }: Pick<SplitCode, "together">) {
  if (together.length === 0) return null;
  return (
    <section aria-label="Cells that stay together">
      <h3 className="mb-1.5 text-sm font-semibold">Cells that stay together</h3>
      <List>
        {together.map(({ cells, because }) => (
          <li key={cells[0]} className="px-3 py-2 text-sm">
            <p className="font-medium">{`Cells ${cells[0]} to ${cells.at(-1)}`}</p>
            {because.slice(0, 3).map((words) => (
              <p key={words} dir="auto" className="text-ink-muted wrap-anywhere">
                {words}
              </p>
            ))}
          </li>
        ))}
      </List>
    </section>
  );
}

function List({ children }: { children: ReactNode }) {
  return <ul className="divide-y divide-line rounded-lg border border-line">{children}</ul>;
}

function portsOf({ edges }: SplitCode, key: string): string {
  const taken = edges.filter((edge) => edge.destination_wob_key === key).map((edge) => edge.destination_receiver_key);
  const given = edges.filter((edge) => edge.source_wob_key === key).map((edge) => edge.source_transmitter_key);
  const list = (names: string[]) => [...new Set(names)].join(", ");
  return [list(taken), list(given)].map((names) => names || "–").join(" → ");
}

function listed(cells: readonly string[]): string {
  const names = cells.map((cell) => cell || "the script");
  return names.length < 2 ? (names[0] ?? "it") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
