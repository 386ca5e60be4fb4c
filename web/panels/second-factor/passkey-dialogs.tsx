import { useId } from "react";

import { formText } from "@miranda/contract/limits.ts";
import type { Passkey } from "@miranda/contract/schemas/account/sign-in.ts";

import { useSecondFactorCalls } from "../../api/account/second-factor.ts";
import { ReauthField } from "../../shell/account/reauth-field.tsx";
import { Button } from "../../ui/button.tsx";
import { FormAlert, TextField } from "../../ui/form/field.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";
import { Dialog } from "../../ui/overlay/dialog.tsx";

interface AddPasskeyDialogProps {
  onClose: () => void;
  /** With recovery codes, when this is the first second factor. */
  onDone: (codes: string[] | null) => void;
}

export function AddPasskeyDialog({ onClose, onDone }: AddPasskeyDialogProps) {
  const formId = useId();
  const { addPasskey } = useSecondFactorCalls();
  const form = useForm(async (fields) => {
    const name = fieldText(fields, "name").trim() || "Passkey";
    onDone((await addPasskey(name, fieldText(fields, "password"))).recovery_codes);
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Add a passkey"
      description="Your device or security key keeps it. From then on your password alone does not sign you in: the passkey does, with or without the password."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={form.busy}>
            Add a passkey
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
        <ReauthField name="password" />
        <TextField
          label="Name"
          name="name"
          autoComplete="off"
          maxLength={formText.shortTextMax}
          placeholder="Work laptop, phone, security key…"
          optional
        />
        <FormAlert message={form.error} takesFocus />
      </form>
    </Dialog>
  );
}

export function RenamePasskeyDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const formId = useId();
  const { renamePasskey } = useSecondFactorCalls();
  const form = useForm(async (fields) => {
    await renamePasskey(passkey.id, fieldText(fields, "name"));
    onClose();
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Rename the passkey"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={form.busy}>
            Save
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
        <TextField
          label="Name"
          name="name"
          defaultValue={passkey.name}
          autoComplete="off"
          maxLength={formText.shortTextMax}
        />
        <FormAlert message={form.error} takesFocus />
      </form>
    </Dialog>
  );
}
