import { useState } from "react";

import type { Call } from "@miranda/contract/schemas/deployments/calls.ts";

import type { AppDoor } from "../../../api/apps/app-door.ts";
import { useCallActions } from "../../../api/apps/calls.ts";
import { errorScreen } from "../../../limits.ts";
import { messageOf } from "../../../message-of.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { FormAlert, TextField } from "../../../ui/form/field.tsx";
import { Dialog } from "../../../ui/overlay/dialog.tsx";
import { toast } from "../../../ui/overlay/toast.ts";

interface ShareDialogProps {
  call: Call;
  door: AppDoor;
  onClose: () => void;
}

/** Shares a result by an address that works without an account, and takes it back. */
export function ShareDialog({ call, door, onClose }: ShareDialogProps) {
  const { share, stopSharing } = useCallActions(door);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const address = call.shared === null ? "" : `${location.origin}/explorer/results/${call.shared}`;

  async function change(act: (id: string) => Promise<void>) {
    setBusy(true);
    setError(null);
    try {
      await act(call.id);
    } catch (cause) {
      setError(messageOf(cause));
    } finally {
      setBusy(false);
    }
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Share this result"
      description="Everybody who has the link can see the result, but not what you entered. They need no account."
      footer={
        call.shared === null ? (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button variant="primary" busy={busy} onClick={() => void change(share)}>
              Make a link
            </Button>
          </>
        ) : (
          <>
            <Button variant="ghost" busy={busy} onClick={() => void change(stopSharing)}>
              Stop sharing
            </Button>
            <Button variant="primary" onClick={onClose}>
              Done
            </Button>
          </>
        )
      }
    >
      {address === "" && error === null ? null : (
        <div className="flex flex-col gap-3">
          {address === "" ? null : (
            <div className="flex items-end gap-2">
              <div className="min-w-0 flex-1">
                <TextField label="Link" readOnly value={address} onFocus={(event) => event.target.select()} />
              </div>
              <CopyButton
                text={address}
                confirmFor={errorScreen.copiedFor}
                onFailure={() => toast.error("The browser refused to copy. Select the link and copy it.")}
              />
            </div>
          )}
          <FormAlert message={error} takesFocus />
        </div>
      )}
    </Dialog>
  );
}
