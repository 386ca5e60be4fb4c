import { useState } from "react";

import { toast } from "../../ui/overlay/toast.ts";

import { useAccountCalls } from "../../api/account/accounts.ts";
import { useAccount } from "../../api/account/session.ts";
import { choicesWith, industries, roles } from "../../shell/account/profile-choices.ts";
import { ReauthField } from "../../shell/account/reauth-field.tsx";
import { Button } from "../../ui/button.tsx";
import { FormAlert, SelectField, TextField } from "../../ui/form/field.tsx";
import { SettingsSection } from "../../ui/form/settings-section.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";

export function ProfileSection() {
  const account = useAccount();
  const { changeAccount } = useAccountCalls();
  const [email, setEmail] = useState(account.email);
  const changesEmail = email.trim() !== account.email;
  const form = useForm(async (fields) => {
    await changeAccount({
      ...(changesEmail ? { password: fieldText(fields, "password") } : {}),
      first_name: fieldText(fields, "first_name"),
      last_name: fieldText(fields, "last_name"),
      email: fieldText(fields, "email"),
      industry: fieldText(fields, "industry"),
      role: fieldText(fields, "role"),
      phone: fieldText(fields, "phone"),
    });
    toast.success("Profile saved.");
  });

  return (
    <SettingsSection title="Profile" description="How other people see you, and how we reach you.">
      <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
        <TextField label="Username" value={account.username} readOnly autoComplete="username" />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label="First name" name="first_name" defaultValue={account.first_name} autoComplete="given-name" />
          <TextField label="Last name" name="last_name" defaultValue={account.last_name} autoComplete="family-name" />
        </div>
        <TextField
          label="E-mail"
          name="email"
          type="email"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          autoComplete="email"
        />
        {changesEmail ? (
          <ReauthField label="Your password" name="password" hint="Needed to change your e-mail." />
        ) : null}
        <div className="grid gap-4 sm:grid-cols-2">
          <ChoiceSelect label="Industry" name="industry" choices={industries} own={account.industry} />
          <ChoiceSelect label="Role" name="role" choices={roles} own={account.role} />
        </div>
        <TextField label="Phone" name="phone" type="tel" defaultValue={account.phone} autoComplete="tel" optional />
        <FormAlert message={form.error} takesFocus />
        <div className="flex justify-end">
          <Button type="submit" variant="primary" busy={form.busy}>
            Save profile
          </Button>
        </div>
      </form>
    </SettingsSection>
  );
}

interface ChoiceSelectProps {
  label: string;
  name: string;
  choices: readonly string[];
  own: string;
}

function ChoiceSelect({ label, name, choices, own }: ChoiceSelectProps) {
  return (
    <SelectField label={label} name={name} defaultValue={own}>
      <option value="">Not given</option>
      {choicesWith(choices, own).map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </SelectField>
  );
}
