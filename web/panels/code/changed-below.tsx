import { useQuery } from "@tanstack/react-query";
import { GitMerge } from "lucide-react";
import * as Primitive from "radix-ui/dialog";
import { useState } from "react";

import { errors } from "@miranda/contract/errors.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";

import { useSession } from "../../api/account/session.ts";
import { draftComparisonQuery, keepDraft } from "../../api/code.ts";
import { messageOf } from "../../message-of.ts";
import { authorNames, isOwn } from "../../providers/unsaved/unsaved-code.ts";
import { useUnsavedCodeOf } from "../../providers/unsaved/use-unsaved-code.ts";
import { Button } from "../../ui/button.tsx";
import { DiffView } from "../../ui/code-editor/diff-view.tsx";
import { counted } from "../../ui/counted.ts";
import { FormAlert } from "../../ui/form/field.tsx";
import { LoadingArea } from "../../ui/layout/spinner.tsx";
import { useMedia } from "../../ui/layout/use-media.ts";
import { DialogPanel } from "../../ui/overlay/dialog.tsx";
import { toast } from "../../ui/overlay/toast.ts";
import { useIdeView } from "./ide-context.tsx";
import { Notice } from "./notice.tsx";
import type { SharedCode } from "./shared-code.ts";

interface ChangedBelowProps {
  code: SharedCode;
  node: Node;
  mayWrite: boolean;
}

/** Says that the stored code changed below unsaved code, and lets a person decide what becomes of both. */
export function ChangedBelow({ code, node, mayWrite }: ChangedBelowProps) {
  const draft = useUnsavedCodeOf(node.metadata_id);
  const isUnsaved = useIdeView((view) => view.unsaved.get(node.metadata_id) === true);
  const { account } = useSession();
  const [isOpen, setOpen] = useState(false);
  // After a commit the text is saved before the server says that the draft is gone.
  if (!draft?.outdated || !isUnsaved) return null;
  const whose = isOwn(draft, account?.username)
    ? "your draft"
    : `the draft of ${authorNames(draft.authors, account?.username)}`;
  return (
    <>
      <Notice
        icon={GitMerge}
        tone="warning"
        testId="changed-below"
        action={
          mayWrite ? (
            <Button size="sm" onClick={() => setOpen(true)}>
              Show the difference
            </Button>
          ) : null
        }
      >
        The code changed below {whose}.
      </Notice>
      {isOpen ? <ChangedBelowDialog code={code} node={node} whose={whose} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

interface ChangedBelowDialogProps extends Omit<ChangedBelowProps, "mayWrite"> {
  whose: string;
  onClose: () => void;
}

const sendTimeout = 5_000;

function ChangedBelowDialog({ code, node, whose, onClose }: ChangedBelowDialogProps) {
  const { data, error, refetch } = useQuery(draftComparisonQuery(node.metadata_id, node.source_code));
  const isNarrow = useMedia("(max-width: 1023px)");
  const [busy, setBusy] = useState<"keep" | "stored" | "both">();
  const [problem, setProblem] = useState<string>();

  /** Only what the person sees is decided: the texts may have changed while they looked. */
  async function decide(choice: "keep" | "stored" | "both"): Promise<void> {
    if (!data) return;
    setBusy(choice);
    setProblem(undefined);
    try {
      if (code.text() !== data.draft) throw new Error("The draft changed while you looked. Look again.");
      const wanted = { keep: data.draft, stored: data.stored, both: data.together }[choice];
      code.setText(wanted);
      if (code.text() !== wanted) throw new Error(errors.code_too_long);
      if (!(await code.sent(sendTimeout))) throw new Error("The server did not get the text in time. Try again.");
      if (choice !== "stored") await keepDraft(node.metadata_id, data.stored);
      onClose();
      toast.success(doneWords[choice](data.conflicts));
    } catch (cause) {
      setProblem(messageOf(cause));
      await refetch();
    } finally {
      setBusy(undefined);
    }
  }

  return (
    <Primitive.Root open onOpenChange={onClose}>
      <DialogPanel className="h-[76dvh] max-w-5xl" data-testid="changed-below-dialog">
        <div className="px-5 pt-5 pb-4">
          <Primitive.Title className="line-clamp-3 text-lg font-semibold">
            The code of {node.name} changed below {whose}
          </Primitive.Title>
          <Primitive.Description className="mt-1 text-ink-muted">
            {data ? descriptionOf(data.conflicts) : "Nothing is lost until you decide."}
          </Primitive.Description>
        </div>
        <div className="flex min-h-0 flex-1 flex-col border-y border-line">
          {data ? (
            <>
              <div className="grid shrink-0 grid-cols-2 border-b border-line text-sm font-medium max-lg:hidden">
                <span className="px-4 py-1.5">Stored code</span>
                <span className="px-4 py-1.5">Draft</span>
              </div>
              <p className="border-b border-line px-4 py-1.5 text-sm font-medium lg:hidden">
                <span className="text-danger-text">− Stored code</span>,{" "}
                <span className="text-success-text">+ Draft</span>
              </p>
              <DiffView
                before={data.stored}
                after={data.draft}
                mode={isNarrow ? "unified" : "split"}
                label="From the stored code to the draft"
              />
            </>
          ) : error ? null : (
            <LoadingArea label="Comparing the code" />
          )}
        </div>
        <div className="flex flex-wrap items-center justify-end gap-2 p-4">
          <FormAlert message={problem ?? error?.message} takesFocus />
          <Button variant="ghost" onClick={onClose}>
            Decide later
          </Button>
          <Button disabled={!data} busy={busy === "stored"} onClick={() => void decide("stored")}>
            Take the stored code
          </Button>
          <Button disabled={!data} busy={busy === "keep"} onClick={() => void decide("keep")}>
            Keep the draft
          </Button>
          <Button variant="primary" disabled={!data} busy={busy === "both"} onClick={() => void decide("both")}>
            Put both together
          </Button>
        </div>
      </DialogPanel>
    </Primitive.Root>
  );
}

function descriptionOf(conflicts: number): string {
  return conflicts === 0
    ? "They changed different lines, so they can be put together."
    : `Both changed the same lines in ${counted(conflicts, "place")}. Put together, both are there between markers.`;
}

const doneWords = {
  keep: () => "Kept the draft. A commit replaces the stored code.",
  stored: () => "Took the stored code. Undo in the code brings the draft back.",
  both: (conflicts: number) =>
    conflicts === 0 ? "Put both together." : `Put both together. Resolve ${counted(conflicts, "marked place")}.`,
} as const;
