import { useState } from "react";

import type { NewInvitation } from "@miranda/contract/schemas/people/invitations.ts";

import { useInvitationCalls } from "../../../api/people/invitations.ts";
import { Button } from "../../../ui/button.tsx";
import { FormAlert, TextField } from "../../../ui/form/field.tsx";
import { SettingsSection } from "../../../ui/form/settings-section.tsx";
import { fieldText, useForm } from "../../../ui/form/use-form.ts";
import { InvitationLink } from "../../../panels/invitations/invitation-link.tsx";
import { OpenInvitations } from "../../../panels/invitations/open-invitations.tsx";

/** Invites people to the installation, also while registration is closed to others. */
export function InvitationsTab() {
  const { create } = useInvitationCalls(null);
  const [made, setMade] = useState<NewInvitation | null>(null);
  const form = useForm(async (fields, element) => {
    setMade(null);
    setMade(await create({ email: fieldText(fields, "email") }));
    element.reset();
  });
  return (
    <SettingsSection
      title="Invitations"
      description="An invitation lets one person register, also while registration is closed to others. To invite somebody to a project, use Share on its page."
    >
      <div className="flex flex-col gap-5">
        <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-2">
          <div className="grid items-end gap-2 sm:grid-cols-[minmax(0,1fr)_auto]">
            <TextField
              label="E-mail"
              name="email"
              type="email"
              inputMode="email"
              optional
              autoComplete="off"
              hint="With an address, only this address can use the invitation."
            />
            <Button type="submit" variant="primary" busy={form.busy} className="sm:mb-5.5">
              Invite
            </Button>
          </div>
          <FormAlert message={form.error} />
        </form>
        {made ? <InvitationLink made={made} /> : null}
        <OpenInvitations projectId={null} />
      </div>
    </SettingsSection>
  );
}
