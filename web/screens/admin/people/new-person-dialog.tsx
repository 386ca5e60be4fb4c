import { useState } from "react";

import type { NewPerson } from "@miranda/contract/schemas/account/people.ts";

import { fullName } from "../../../format/person-names.ts";
import { usePeopleCalls } from "../../../api/admin/people.ts";
import { CheckboxField } from "../../../ui/form/checkbox-field.tsx";
import { TextField } from "../../../ui/form/field.tsx";
import { fieldText, useForm } from "../../../ui/form/use-form.ts";
import { FormDialog } from "../../../ui/overlay/form-dialog.tsx";
import { PasswordLinkDialog } from "./password-link-dialog.tsx";

/** Creates an account, then shows the link with which its owner sets the password. */
export function NewPersonDialog({ onClose }: { onClose: () => void }) {
  const { create } = usePeopleCalls();
  const [created, setCreated] = useState<NewPerson | null>(null);
  const form = useForm(async (fields) => {
    const text = (name: string) => fieldText(fields, name);
    setCreated(
      await create({
        ...{ username: text("username"), email: text("email") },
        ...{ first_name: text("first_name"), last_name: text("last_name"), is_admin: fields.get("is_admin") !== null },
      }),
    );
  });
  if (created) return <PasswordLinkDialog name={fullName(created.person)} link={created.link} onClose={onClose} />;
  return (
    <FormDialog
      form={form}
      title="Create account"
      description="The person sets the password with a link that you get next."
      action="Create account"
      onClose={onClose}
    >
      <div className="grid grid-cols-2 gap-3">
        <TextField label="First name" name="first_name" autoComplete="off" />
        <TextField label="Last name" name="last_name" autoComplete="off" />
      </div>
      <TextField label="Username" name="username" autoComplete="off" autoCapitalize="none" spellCheck={false} />
      <TextField label="E-mail" name="email" type="email" autoComplete="off" autoCapitalize="none" />
      <CheckboxField label="Administrator" name="is_admin" hint="May see and change everything in this installation." />
    </FormDialog>
  );
}
