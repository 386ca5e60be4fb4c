import { useState } from "react";
import { messageOf } from "../../message-of.ts";
import { toast } from "../../ui/overlay/toast.ts";

import { useAccountCalls } from "../../api/account/accounts.ts";
import { avatarHint, avatarProblem, avatarTypes } from "../../api/account/avatar-check.ts";
import { useAccount } from "../../api/account/session.ts";
import { AvatarPicker } from "../../ui/form/avatar-picker.tsx";
import { Button } from "../../ui/button.tsx";
import { FormAlert } from "../../ui/form/field.tsx";
import { SettingsSection } from "../../ui/form/settings-section.tsx";

export function PictureSection() {
  const account = useAccount();
  const { changeAvatar, removeAvatar } = useAccountCalls();
  const [picked, setPicked] = useState<File | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);

  async function run(change: () => Promise<void>, done: string) {
    setBusy(true);
    setError(null);
    try {
      await change();
      toast.success(done);
    } catch (cause) {
      setError(messageOf(cause));
    } finally {
      setBusy(false);
      setPicked(null);
    }
  }

  async function pick(file: File) {
    const problem = avatarProblem(file);
    if (problem) {
      setError(problem);
      return;
    }
    setPicked(file);
    await run(() => changeAvatar(file), "Picture saved.");
  }

  return (
    <SettingsSection title="Picture" description="Shown beside your name and on the projects you own.">
      <div className="flex flex-col gap-4">
        <AvatarPicker
          name={`${account.first_name} ${account.last_name}`}
          src={account.avatar}
          picked={picked}
          onPick={(file) => void pick(file)}
          accept={avatarTypes}
          hint={avatarHint}
          busy={busy}
        >
          {account.avatar === null ? null : (
            <Button size="sm" variant="ghost" disabled={busy} onClick={() => run(removeAvatar, "Picture removed.")}>
              Remove
            </Button>
          )}
        </AvatarPicker>
        <FormAlert message={error} />
      </div>
    </SettingsSection>
  );
}
