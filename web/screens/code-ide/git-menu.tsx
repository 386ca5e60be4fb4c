import { ChevronDown, GitBranch } from "lucide-react";
import { type ReactNode, useState } from "react";

import { errors } from "@miranda/contract/errors.ts";
import { canCreate } from "@miranda/contract/processor.ts";
import type { Node } from "@miranda/contract/schemas/nodes.ts";
import type { GitEvent } from "@miranda/contract/schemas/processors.ts";

import { messageOf } from "../../message-of.ts";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { useProcessor, useProcessorState } from "../../providers/processor/processor-provider.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { Dropdown, DropdownItem } from "../../ui/overlay/dropdown.tsx";
import { toast } from "../../ui/overlay/toast.ts";

/** Pulls and pushes the node's code: the menu items, and the dialog that explains a refused pull. */
export function useGit(node: Node): { items: ReactNode; refusal: ReactNode } {
  const { actions } = useProcessor();
  const shown = useProcessorState((state) => state.shown);
  const isWaiting = useProcessorState((state) => state.waitingOnTag !== null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const isIdle = !isWaiting && (shown === "READY" || canCreate(shown));
  const unset = node.git === null ? `${errors.git_not_set} Set it in its properties.` : null;
  const reason = unset ?? (isIdle ? null : "The processor is busy.");
  const pullReason = reason ?? (node.locked ? errors.node_locked : null);

  async function perform(command: (id: number) => Promise<GitEvent>): Promise<void> {
    if (canCreate(shown)) await actions.create();
    try {
      const { summary } = await command(node.metadata_id);
      toast.success(summary);
    } catch (cause) {
      const message = messageOf(cause);
      // A diff is too long for a toast.
      if (!message.includes("\n")) throw cause;
      setRefusal(message);
    }
  }

  const item = (label: string, why: string | null, command: (id: number) => Promise<GitEvent>) => (
    <DropdownItem disabled={why !== null} onSelect={() => toastFailure(perform(command))}>
      {label}
    </DropdownItem>
  );
  const close = () => setRefusal(null);
  const pull = () => {
    close();
    toastFailure(perform(actions.gitPull));
  };
  return {
    items: (
      <>
        {item("Pull", pullReason, actions.gitPull)}
        {item("Soft pull", pullReason, actions.gitSoftPull)}
        {item("Push", reason, actions.gitPush)}
        <p className="max-w-72 px-2 py-1.5 text-xs break-words text-ink-faint">
          {pullReason ?? `${node.git}${node.git_branch ? `, ${node.git_branch}` : ""}`}
        </p>
      </>
    ),
    refusal: refusal === null ? null : <Refusal message={refusal} onClose={close} onPull={pull} />,
  };
}

export function GitMenu({ items }: { items: ReactNode }) {
  return (
    <Dropdown
      align="start"
      trigger={
        <Button size="sm" variant="ghost" className="max-sm:hidden">
          <GitBranch className="size-4" aria-hidden="true" />
          Git
          <ChevronDown className="size-3.5" aria-hidden="true" />
        </Button>
      }
    >
      {items}
    </Dropdown>
  );
}

interface RefusalProps {
  message: string;
  onClose: () => void;
  onPull: () => void;
}

function Refusal({ message, onClose, onPull }: RefusalProps) {
  const [why = "", ...rest] = message.split("\n");
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Nothing was pulled"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" onClick={onPull}>
            Pull anyway
          </Button>
        </>
      }
    >
      <p>{why}</p>
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
        tabIndex={0}
        className="mt-3 max-h-80 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs"
      >
        {rest.join("\n")}
      </pre>
      <p className="mt-3 text-sm text-ink-muted">
        A pull replaces the node’s code. The current code stays in its history.
      </p>
    </Dialog>
  );
}
