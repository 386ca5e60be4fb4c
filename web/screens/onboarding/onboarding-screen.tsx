import { useEffect, useState } from "react";
import { useLocation, useNavigate } from "react-router";

import { useAccountCalls } from "../../api/account/accounts.ts";
import { avatarHint, avatarProblem, avatarTypes } from "../../api/account/avatar-check.ts";
import { logOut, useAccount } from "../../api/account/session.ts";
import { isRecord } from "../../is-record.ts";
import { BrandMark } from "../../shell/brand.tsx";
import { nextPath } from "../../shell/account/next-address.ts";
import { productName } from "../../shell/product.ts";
import { choicesWith, industries, roles } from "../../shell/account/profile-choices.ts";
import { documentTitle } from "../../shell/section.ts";
import { AvatarPicker } from "../../ui/form/avatar-picker.tsx";
import { Button } from "../../ui/button.tsx";
import { ChoiceGroup } from "../../ui/form/choice-group.tsx";
import { FormAlert, TextField } from "../../ui/form/field.tsx";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { fieldText, useForm } from "../../ui/form/use-form.ts";

// In two columns, a last odd choice takes the whole row.
const columns = "grid-cols-2 sm:grid-cols-3 [&>label:last-child:nth-child(odd)]:max-sm:col-span-2";

export function OnboardingScreen() {
  const account = useAccount();
  const { changeAvatar, finishOnboarding } = useAccountCalls();
  const leave = useLeave();
  const [picture, setPicture] = useState<File | null>(null);
  const [pictureError, setPictureError] = useState<string | null>(null);

  useEffect(() => {
    document.title = documentTitle("Welcome");
  }, []);

  const save = useForm(async (fields) => {
    const industry = fieldText(fields, "industry");
    const role = fieldText(fields, "role");
    if (!industry || !role) throw new Error("Please choose an industry and a role, or skip this for now.");
    if (picture) {
      await changeAvatar(picture);
      setPicture(null);
    }
    await finishOnboarding({ industry, role, phone: fieldText(fields, "phone") });
    leave();
  });
  const skip = useForm(async () => {
    await finishOnboarding({ industry: account.industry, role: account.role, phone: account.phone });
    leave();
  });

  function pick(file: File) {
    const problem = avatarProblem(file);
    setPictureError(problem);
    setPicture(problem ? null : file);
  }

  return (
    <div className="mx-auto w-full max-w-2xl px-4 py-6 sm:px-6 sm:py-10">
      <div className="flex items-center gap-2.5 text-lg font-semibold">
        <BrandMark className="size-7" />
        {productName}
        <LogoutButton />
      </div>
      <h1 className="mt-10 text-2xl font-semibold">Welcome, {account.first_name}</h1>
      <p className="mt-1.5 text-ink-muted">Two questions about your work. You can change the answers at any time.</p>
      <form id="onboarding" onSubmit={save.onSubmit} noValidate className="mt-8 flex flex-col gap-7">
        <ChoiceGroup
          legend="Industry"
          name="industry"
          options={choicesWith(industries, account.industry)}
          defaultValue={account.industry}
          className={columns}
        />
        <ChoiceGroup
          legend="Role"
          name="role"
          options={choicesWith(roles, account.role)}
          defaultValue={account.role}
          className={columns}
        />
        <div className="grid gap-6 border-t border-line pt-7 sm:grid-cols-2">
          <TextField label="Phone" name="phone" type="tel" autoComplete="tel" defaultValue={account.phone} optional />
          <div className="flex flex-col gap-1.5">
            <div className="flex items-baseline justify-between text-sm font-medium">
              Picture <span className="text-xs font-normal text-ink-faint">Optional</span>
            </div>
            <AvatarPicker
              name={`${account.first_name} ${account.last_name}`}
              src={account.avatar}
              picked={picture}
              onPick={pick}
              accept={avatarTypes}
              hint={avatarHint}
            />
            <FormAlert message={pictureError} />
          </div>
        </div>
        <FormAlert message={save.error} takesFocus />
      </form>
      <form onSubmit={skip.onSubmit} className="mt-7 flex flex-col gap-3">
        <FormAlert message={skip.error} takesFocus />
        <div className="flex justify-end gap-2">
          <Button type="submit" variant="ghost" size="lg" busy={skip.busy} disabled={save.busy}>
            Skip
          </Button>
          <Button
            type="submit"
            form="onboarding"
            variant="primary"
            size="lg"
            className="min-w-24"
            busy={save.busy}
            disabled={skip.busy}
          >
            Save
          </Button>
        </div>
      </form>
    </div>
  );
}

/** There is no top bar here, so this is the only way to another account. */
function LogoutButton() {
  const [busy, setBusy] = useState(false);

  const leave = () => {
    setBusy(true);
    const left = logOut();
    left.catch(() => setBusy(false));
    toastFailure(left);
  };
  return (
    <Button variant="ghost" size="sm" className="ml-auto" busy={busy} onClick={leave}>
      Logout
    </Button>
  );
}

/** Returns to the page that onboarding interrupted. */
function useLeave(): () => void {
  const state: unknown = useLocation().state;
  const navigate = useNavigate();
  const from = isRecord(state) && typeof state.from === "string" ? state.from : null;
  return () => void navigate(nextPath(from, location.origin), { replace: true });
}
