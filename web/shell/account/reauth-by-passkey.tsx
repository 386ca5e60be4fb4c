import { KeyRound } from "lucide-react";
import { useState } from "react";

import { reauthWithPasskey } from "../../api/account/passkeys.ts";
import { messageOf } from "../../message-of.ts";
import { Button } from "../../ui/button.tsx";
import { FormAlert } from "../../ui/form/field.tsx";

export function ReauthByPasskey({ onDone }: { onDone: () => void }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  async function confirm() {
    setBusy(true);
    setProblem(null);
    try {
      await reauthWithPasskey();
      onDone();
    } catch (cause) {
      setProblem(messageOf(cause));
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      <Button size="sm" busy={busy} onClick={() => void confirm()}>
        <KeyRound className="size-3.5" aria-hidden="true" />
        Use a passkey instead
      </Button>
      <FormAlert message={problem} />
    </>
  );
}
