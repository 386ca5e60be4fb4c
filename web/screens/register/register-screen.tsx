import { Check } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "react-router";

import { formText } from "@miranda/contract/limits.ts";

import { useAccountCalls } from "../../api/account/accounts.ts";
import { Entrance } from "../../shell/account/entrance.tsx";
import { Button } from "../../ui/button.tsx";
import { FormAlert, TextField } from "../../ui/form/field.tsx";
import { PasswordField } from "../../ui/form/password-field.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";

export function RegisterScreen() {
  const { search } = useLocation();
  const { register } = useAccountCalls();
  const [length, setLength] = useState(0);
  const form = useForm(async (fields) => {
    await register({
      username: fieldText(fields, "username"),
      email: fieldText(fields, "email"),
      first_name: fieldText(fields, "first_name"),
      last_name: fieldText(fields, "last_name"),
      password: fieldText(fields, "password"),
    });
  });

  return (
    <Entrance
      title="Create your account"
      subtitle={
        <>
          Already have one?{" "}
          <Link to={{ pathname: "/login", search }} className="font-medium text-accent-text hover:underline">
            Sign in
          </Link>
        </>
      }
    >
      <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label="First name"
            name="first_name"
            autoComplete="given-name"
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the page is this form
            autoFocus
          />
          <TextField label="Last name" name="last_name" autoComplete="family-name" />
        </div>
        <TextField label="Username" name="username" autoComplete="username" autoCapitalize="none" spellCheck={false} />
        <TextField
          label="E-mail"
          name="email"
          type="email"
          inputMode="email"
          autoComplete="email"
          autoCapitalize="none"
          spellCheck={false}
        />
        <PasswordField
          label="Password"
          name="password"
          autoComplete="new-password"
          onChange={(event) => setLength(event.target.value.length)}
          hint={<LengthHint enough={length >= formText.passwordMin} />}
        />
        <FormAlert message={form.error} takesFocus />
        <Button type="submit" variant="primary" size="lg" busy={form.busy}>
          Create account
        </Button>
      </form>
    </Entrance>
  );
}

function LengthHint({ enough }: { enough: boolean }) {
  return (
    <span className={enough ? "inline-flex items-center gap-1 text-success-text" : undefined}>
      {enough ? <Check className="size-3.5" aria-hidden="true" /> : null}
      At least {formText.passwordMin} characters
    </span>
  );
}
