import { useState } from "react";
import { Link, useLocation } from "react-router";

import { forgotPassword } from "../../api/account/email.ts";
import { useSettings } from "../../api/settings.ts";
import { Entrance } from "../../shell/account/entrance.tsx";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { FormAlert, TextField } from "../../ui/form/field.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";

/** Asks for a mail with a link to set a new password. */
export function ForgotScreen() {
  const { search } = useLocation();
  const settings = useSettings();
  const [asked, setAsked] = useState(false);
  const form = useForm(async (fields) => {
    await forgotPassword(fieldText(fields, "username"));
    setAsked(true);
  });
  const back = (
    <Link to={{ pathname: "/login", search }} className={buttonClasses({ size: "lg" })}>
      Back to sign in
    </Link>
  );

  if (settings && !settings.sign_in.mail)
    return (
      <Entrance title="Forgot your password?" subtitle="This installation cannot send e-mail.">
        <p className="mb-5">Ask an administrator for a link to set a new password.</p>
        {back}
      </Entrance>
    );
  if (asked)
    return (
      <Entrance title="Check your e-mail" subtitle="If there is such an account, a mail is on its way to it.">
        <output className="mb-5 block">
          The mail has a link that works once, for one hour. No mail? Look into your spam folder, then ask again.
        </output>
        {back}
      </Entrance>
    );
  return (
    <Entrance title="Forgot your password?" subtitle="We send you a link to set a new one.">
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
        <FormAlert message={form.error} takesFocus />
        <Button type="submit" variant="primary" size="lg" busy={form.busy}>
          Send the link
        </Button>
        {back}
      </form>
    </Entrance>
  );
}
