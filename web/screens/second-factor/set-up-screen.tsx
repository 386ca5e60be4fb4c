import { KeyRound, Smartphone } from "lucide-react";
import { useState } from "react";

import { passkeyObstacle } from "../../api/account/passkey-obstacle.ts";
import { useSecondFactorCalls } from "../../api/account/second-factor.ts";
import { logOut } from "../../api/account/session.ts";
import { Entrance } from "../../shell/account/entrance.tsx";
import { Button } from "../../ui/button.tsx";
import { AppDialog } from "../../panels/second-factor/app-dialog.tsx";
import { AddPasskeyDialog } from "../../panels/second-factor/passkey-dialogs.tsx";
import { RecoveryCodesDialog } from "../../panels/second-factor/recovery-codes-dialog.tsx";

/** For somebody whose administrators ask for a second factor. Nothing else works before. */
export function SetUpScreen() {
  const { reloadSession } = useSecondFactorCalls();
  const [open, setOpen] = useState<"app" | "passkey" | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const obstacle = passkeyObstacle();
  const close = () => setOpen(null);

  function done(made: string[] | null) {
    close();
    if (made) setCodes(made);
    else void reloadSession();
  }

  return (
    <Entrance
      title="Set up two-step sign-in"
      subtitle="The administrators of this installation ask for it. You can go on as soon as one of these is set up."
    >
      <div className="flex flex-col gap-3">
        <Button variant="primary" size="lg" onClick={() => setOpen("app")}>
          <Smartphone className="size-4" aria-hidden="true" />
          Use an authenticator app
        </Button>
        <Button size="lg" disabled={obstacle !== undefined} onClick={() => setOpen("passkey")}>
          <KeyRound className="size-4" aria-hidden="true" />
          Use a passkey
        </Button>
        {obstacle ? <p className="text-sm text-ink-muted">{obstacle}</p> : null}
        <p className="mt-3 text-sm text-ink-muted">
          An app on your phone shows a code that you enter after your password. A passkey is kept by this device, your
          phone or a security key.
        </p>
        <button
          type="button"
          onClick={() => void logOut()}
          className="self-start text-sm font-medium text-accent-text hover:underline"
        >
          Sign out
        </button>
      </div>
      {open === "app" ? <AppDialog onClose={close} onDone={done} /> : null}
      {open === "passkey" ? <AddPasskeyDialog onClose={close} onDone={done} /> : null}
      {codes ? <RecoveryCodesDialog codes={codes} onClose={() => void reloadSession()} /> : null}
    </Entrance>
  );
}
