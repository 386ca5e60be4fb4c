import { Link, useLocation } from "react-router";

import { useAccountCalls } from "../../api/account/accounts.ts";
import { Entrance } from "../../shell/account/entrance.tsx";
import { Button } from "../../ui/button.tsx";
import { FormAlert, TextField } from "../../ui/form/field.tsx";
import { PasswordField } from "../../ui/form/password-field.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";

export function LoginScreen() {
  const { search } = useLocation();
  const { logIn } = useAccountCalls();
  // The guard notices the session and redirects.
  const form = useForm(async (fields) => {
    await logIn({ username: fieldText(fields, "username"), password: fieldText(fields, "password") });
  });

  return (
    <Entrance
      title="Sign in"
      subtitle={
        <>
          New here?{" "}
          <Link to={{ pathname: "/register", search }} className="font-medium text-accent-text hover:underline">
            Create an account
          </Link>
        </>
      }
    >
      {new URLSearchParams(search).get("account") === "deleted" ? (
        <output className="mb-5 block rounded-md border border-line bg-sunken px-3 py-2 text-sm">
          Your account was deleted.
        </output>
      ) : null}
      <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
        <TextField
          label="Username or e-mail"
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the page is this form
          autoFocus
        />
        <PasswordField label="Password" name="password" autoComplete="current-password" />
        <FormAlert message={form.error} takesFocus />
        <Button type="submit" variant="primary" size="lg" busy={form.busy}>
          Sign in
        </Button>
      </form>
    </Entrance>
  );
}
