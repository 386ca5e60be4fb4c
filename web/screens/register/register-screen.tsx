import { Check } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "react-router";

import { errors } from "@miranda/contract/errors.ts";
import { formText } from "@miranda/contract/limits.ts";
import type { Settings } from "@miranda/contract/schemas/settings.ts";
import type { OpenedInvitation } from "@miranda/contract/schemas/people/invitations.ts";

import { useOpenedInvitation } from "../../api/people/invitations.ts";
import { useAccountCalls } from "../../api/account/accounts.ts";
import { useSettings } from "../../api/settings.ts";
import { Entrance } from "../../shell/account/entrance.tsx";
import { ProviderButtons } from "../../shell/account/provider-buttons.tsx";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { FormAlert, TextField } from "../../ui/form/field.tsx";
import { PasswordField } from "../../ui/form/password-field.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";
import { oneLine } from "../../ui/text/drawable-text.ts";

export function RegisterScreen() {
  const { search } = useLocation();
  const settings = useSettings();
  const refusal = settings && refusalOf(settings);
  if (refusal !== undefined && !new URLSearchParams(search).has("invitation"))
    return (
      <Entrance title="Create your account" subtitle={refusal}>
        <ProviderButtons next={new URLSearchParams(search).get("next")} />
        <Link to={{ pathname: "/login", search }} className={buttonClasses({ size: "lg" }, "mt-4")}>
          Sign in
        </Link>
      </Entrance>
    );
  return <RegisterForm domains={settings?.registration_domains ?? []} />;
}

/** Why nobody can register here without an invitation; undefined when people can. */
function refusalOf({ registration }: Pick<Settings, "registration">): string | undefined {
  if (registration === "invitation")
    return `${errors.registration_invitation} Open the link of your invitation to register.`;
  return registration === "closed" ? errors.registration_closed : undefined;
}

function RegisterForm({ domains }: { domains: readonly string[] }) {
  const { search } = useLocation();
  const invitation = new URLSearchParams(search).get("invitation") ?? "";
  const { data: invited, error: refused } = useOpenedInvitation(invitation);
  const { register } = useAccountCalls();
  const [length, setLength] = useState(0);
  const form = useForm(async (fields) => {
    await register({
      username: fieldText(fields, "username"),
      email: fieldText(fields, "email"),
      first_name: fieldText(fields, "first_name"),
      last_name: fieldText(fields, "last_name"),
      password: fieldText(fields, "password"),
      ...(invitation && { invitation }),
    });
  });

  return (
    <Entrance
      title="Create your account"
      subtitle={
        <>
          Already have one?{" "}
          <Link
            to={{ pathname: "/login", search: invitation ? `?next=/invitation/${invitation}` : search }}
            className="font-medium text-accent-text hover:underline"
          >
            Sign in
          </Link>
        </>
      }
    >
      <InvitationNote invited={invited} refused={refused} />
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
          hint={domains.length > 0 && !invitation ? `Only addresses at ${domains.join(", ")} can register.` : undefined}
          // An invitation by e-mail works with this address alone.
          {...(invited?.email ? { value: invited.email, readOnly: true } : {})}
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
      <ProviderButtons next={new URLSearchParams(search).get("next")} invitation={invitation || undefined} />
    </Entrance>
  );
}

/** Says who invites to what, or why the invitation cannot be used. */
function InvitationNote({ invited, refused }: { invited: OpenedInvitation | undefined; refused: Error | null }) {
  if (refused)
    return (
      <div className="mb-5">
        <FormAlert message={refused.message} />
      </div>
    );
  if (!invited) return null;
  return (
    <p className="mb-5 rounded-md border border-line bg-sunken px-3 py-2 text-sm wrap-anywhere">
      {oneLine(invited.inviter)} invites you to {invited.project === null ? "Miranda" : oneLine(invited.project)}.
    </p>
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
