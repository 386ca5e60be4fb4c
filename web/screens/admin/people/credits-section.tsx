import { useState } from "react";

import type { Person } from "@miranda/contract/schemas/account/people.ts";

import { usePeopleCalls } from "../../../api/admin/people.ts";
import { useMoney } from "../../../api/settings.ts";
import { Button } from "../../../ui/button.tsx";
import { FormAlert } from "../../../ui/form/field.tsx";
import { SettingsSection } from "../../../ui/form/settings-section.tsx";
import { fieldText, useForm } from "../../../ui/form/use-form.ts";
import { toast } from "../../../ui/overlay/toast.ts";
import { GrantFields } from "../../../panels/grant-fields.tsx";
import { GivenGrants } from "./given-grants.tsx";

export function CreditsSection({ person }: { person: Person }) {
  const { grant } = usePeopleCalls();
  const money = useMoney();
  const [key, setKey] = useState(() => crypto.randomUUID());
  const form = useForm(async (fields, element) => {
    const amount = fieldText(fields, "amount");
    await grant(person, { amount, note: fieldText(fields, "note"), key });
    toast.success(`Granted ${money(amount.trim(), "all")}.`);
    setKey(crypto.randomUUID());
    element.reset();
  });
  return (
    <SettingsSection title="Credits" description="Granted credits and their note are in the ledger of the account.">
      <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
        <GrantFields />
        <FormAlert message={form.error} takesFocus />
        <div className="flex justify-end">
          <Button type="submit" variant="primary" busy={form.busy}>
            Grant credits
          </Button>
        </div>
      </form>
      <GivenGrants person={person} />
    </SettingsSection>
  );
}
