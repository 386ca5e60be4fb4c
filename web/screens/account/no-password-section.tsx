import { useState } from "react";

import { useAccount } from "../../api/account/session.ts";
import { forgotPassword } from "../../api/account/email.ts";
import { goToProvider, useIdentities } from "../../api/account/providers.ts";
import { useSettings } from "../../api/settings.ts";
import { messageOf } from "../../message-of.ts";
import { Button } from "../../ui/button.tsx";
import { FormAlert } from "../../ui/form/field.tsx";
import { SettingsSection } from "../../ui/form/settings-section.tsx";
import { toast } from "../../ui/overlay/toast.ts";

/** For an account that a provider made: how it gets a password. */
export function NoPasswordSection() {
  const { email } = useAccount();
  const signIn = useSettings()?.sign_in;
  const { data: identities = [] } = useIdentities();
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState<string | null>(null);

  async function act(what: string, work: () => Promise<void>) {
    setBusy(what);
    setProblem(null);
    try {
      await work();
    } catch (cause) {
      setProblem(messageOf(cause));
    } finally {
      setBusy(null);
    }
  }

  async function mail() {
    await forgotPassword(email);
    toast.success(`A mail with a link is on its way to ${email}.`);
  }

  return (
    <SettingsSection
      title="Password"
      description="Your account has none: a provider made it. With a password you can sign in without the provider."
    >
      <div className="flex flex-col gap-4">
        <p className="text-sm text-ink-muted">
          To set a password, show that it is you. Afterwards you sign in again, on every device.
        </p>
        <FormAlert message={problem} takesFocus />
        <div className="flex flex-wrap justify-end gap-2">
          {signIn?.mail ? (
            <Button busy={busy === "mail"} onClick={() => void act("mail", mail)}>
              Send me a link
            </Button>
          ) : null}
          {identities.map(({ provider, name }) => (
            <Button
              key={provider}
              busy={busy === provider}
              onClick={() => void act(provider, () => goToProvider(provider, { purpose: "password" }))}
            >
              Sign in with {name} again
            </Button>
          ))}
        </div>
      </div>
    </SettingsSection>
  );
}
