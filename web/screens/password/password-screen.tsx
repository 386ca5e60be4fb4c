import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";

import { formText } from "@miranda/contract/limits.ts";
import type { PasswordLinkOwner } from "@miranda/contract/schemas/account/password-links.ts";

import { call } from "../../api/http.ts";
import { leaveAccount } from "../../api/account/session.ts";
import { Entrance } from "../../shell/account/entrance.tsx";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { FormAlert } from "../../ui/form/field.tsx";
import { PasswordField } from "../../ui/form/password-field.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";
import { LoadingArea } from "../../ui/layout/spinner.tsx";

const path = "/api/v3/auth/password-link";

/** A one-time link: sets the password of one account. */
export function PasswordScreen() {
  const { token = "" } = useParams();
  const { data: owner, error } = useQuery({
    queryKey: ["password-link", token],
    queryFn: () => call<PasswordLinkOwner>(path, { method: "POST", fields: { token } }),
    refetchInterval: false,
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
  if (error)
    return (
      <Entrance title="Set your password" subtitle="This link cannot be used.">
        <FormAlert message={error.message} />
        <a href="/login" className={buttonClasses({ size: "lg" }, "mt-4")}>
          Go to the sign-in page
        </a>
      </Entrance>
    );
  if (!owner) return <LoadingArea label="Loading" />;
  return <PasswordForm token={token} owner={owner} />;
}

function PasswordForm({ token, owner }: { token: string; owner: PasswordLinkOwner }) {
  const form = useForm(async (fields) => {
    const password = fieldText(fields, "password");
    if (password !== fieldText(fields, "again")) throw new Error("The two passwords are not the same.");
    await call(`${path}/use`, { method: "POST", fields: { token, password } });
    // Every session of the account has ended, this browser's too.
    leaveAccount("/login?password=set");
  });
  return (
    <Entrance
      title="Set your password"
      subtitle={
        <>
          For {owner.first_name} {owner.last_name}, who signs in as{" "}
          <strong className="font-medium text-ink">{owner.username}</strong>. Every other browser is signed out.
        </>
      }
    >
      <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
        <input type="hidden" name="username" autoComplete="username" value={owner.username} readOnly />
        <PasswordField
          label="New password"
          name="password"
          autoComplete="new-password"
          hint={`At least ${formText.passwordMin} characters`}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the page is this form
          autoFocus
        />
        <PasswordField label="New password again" name="again" autoComplete="new-password" />
        <FormAlert message={form.error} takesFocus />
        <Button type="submit" variant="primary" size="lg" busy={form.busy}>
          Set password
        </Button>
      </form>
    </Entrance>
  );
}
