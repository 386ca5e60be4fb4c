import { KeyRound } from "lucide-react";
import { useEffect, useRef, useState } from "react";

import type { SecondFactorMethod } from "@miranda/contract/schemas/account/sign-in.ts";

import { passkeyObstacle } from "../../api/account/passkey-obstacle.ts";
import { canSuggestPasskeys, isGivenUp } from "../../api/account/passkeys.ts";
import { useSignIns } from "../../api/account/second-factor.ts";
import { logWarning } from "../../log.ts";
import { messageOf } from "../../message-of.ts";
import { Button } from "../../ui/button.tsx";
import { FormAlert } from "../../ui/form/field.tsx";

/** Signs in without a password: by the button, or by a passkey among the usernames that the browser suggests. */
export function PasskeySignIn({ onSecondStep }: { onSecondStep: (methods: SecondFactorMethod[]) => void }) {
  const { withPasskey } = useSignIns();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const suggested = useRef(false);

  async function signIn(inSuggestions: boolean) {
    const methods = await withPasskey({ inSuggestions });
    if (methods) onSecondStep(methods);
  }

  async function press() {
    setBusy(true);
    setProblem(null);
    try {
      await signIn(false);
    } catch (cause) {
      setProblem(messageOf(cause));
    } finally {
      setBusy(false);
    }
  }

  useEffect(() => {
    // Once per page: the browser waits for it as long as the page is open.
    if (suggested.current) return;
    suggested.current = true;
    void (async () => {
      try {
        if (await canSuggestPasskeys()) await signIn(true);
      } catch (cause) {
        if (!isGivenUp(cause)) logWarning("Passkeys could not be suggested.", cause);
      }
    })();
  });

  if (passkeyObstacle() !== undefined) return null;
  return (
    <div className="mt-4 flex flex-col gap-3">
      <Button size="lg" busy={busy} onClick={() => void press()}>
        <KeyRound className="size-4" aria-hidden="true" />
        Sign in with a passkey
      </Button>
      <FormAlert message={problem} takesFocus />
    </div>
  );
}
