import { toast } from "../../ui/overlay/toast.ts";

import { formText } from "@miranda/contract/limits.ts";

import { useAccountCalls } from "../../api/account/accounts.ts";
import { useAccount } from "../../api/account/session.ts";
import { ReauthField } from "../../shell/account/reauth-field.tsx";
import { Button } from "../../ui/button.tsx";
import { FormAlert } from "../../ui/form/field.tsx";
import { PasswordField } from "../../ui/form/password-field.tsx";
import { SettingsSection } from "../../ui/form/settings-section.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";

export function PasswordSection() {
  const { username } = useAccount();
  const { changePassword } = useAccountCalls();
  const form = useForm(async (fields, element) => {
    await changePassword({
      current_password: fieldText(fields, "current_password"),
      new_password: fieldText(fields, "new_password"),
    });
    element.reset();
    toast.success("Password changed. You are signed out everywhere else.");
  });

  return (
    <SettingsSection
      title="Password"
      description="Changing it signs you out on every other device and ends your access tokens."
    >
      <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
        {/* Tells password managers which account this password belongs to. */}
        <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
        <ReauthField label="Current password" name="current_password" />
        <PasswordField
          label="New password"
          name="new_password"
          autoComplete="new-password"
          hint={`At least ${formText.passwordMin} characters`}
        />
        <FormAlert message={form.error} takesFocus />
        <div className="flex justify-end">
          <Button type="submit" variant="primary" busy={form.busy}>
            Change password
          </Button>
        </div>
      </form>
    </SettingsSection>
  );
}
