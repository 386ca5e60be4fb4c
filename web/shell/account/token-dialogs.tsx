import { type ReactNode, useId } from "react";

import { accessToken } from "@miranda/contract/limits.ts";
import type { AccessTokenBody } from "@miranda/contract/schemas/auth.ts";
import { errorScreen } from "../../limits.ts";

import { useAccessTokenCalls } from "../../api/account/accounts.ts";
import { logWarning } from "../../log.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { FormAlert, TextField } from "../../ui/form/field.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";
import { ReauthField } from "./reauth-field.tsx";

interface GenerateTokenDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onGenerated: (token: string) => void;
  /** Why a token is needed now, in one sentence. */
  reason?: string | undefined;
  /** Called when no token was generated; the dialog shows the error and stays open. */
  onFailed?: () => void;
  /** More fields, and what they ask for. */
  more?: { fields: ReactNode; read: (form: FormData) => Partial<AccessTokenBody> };
}

export function GenerateTokenDialog(props: GenerateTokenDialogProps) {
  const { open, onOpenChange, onGenerated, reason, onFailed, more } = props;
  const formId = useId();
  const { create } = useAccessTokenCalls();
  const form = useForm(async (fields) => {
    const wanted = { name: fieldText(fields, "name"), web_password: fieldText(fields, "web_password") };
    const token = await create({ ...wanted, ...more?.read(fields) }).catch((cause: unknown) => {
      onFailed?.();
      throw cause;
    });
    onGenerated(token);
  });

  function change(next: boolean) {
    form.clearError();
    onOpenChange(next);
  }

  return (
    <Dialog
      open={open}
      onOpenChange={change}
      title="Generate Token"
      description={
        reason === undefined
          ? `Confirm with your account password. A token that is not used for ${accessToken.idleDays} days is revoked.`
          : `${reason} Confirm with your account password to go on.`
      }
      footer={
        <>
          <Button onClick={() => change(false)}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={form.busy}>
            Generate token
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
        {/* The password comes first and has the focus: typed without looking, it must not be shown in the name. */}
        <ReauthField name="web_password" />
        <TextField label="Name" name="name" optional autoComplete="off" placeholder="Laptop, CI, notebook..." />
        {more?.fields}
        <FormAlert message={form.error} takesFocus />
      </form>
    </Dialog>
  );
}

export function TokenGeneratedDialog({ token, onClose }: { token: string | null; onClose: () => void }) {
  return (
    <Dialog
      open={token !== null}
      onOpenChange={onClose}
      title="Token Generated"
      description="Copy it now: it is not shown again."
      footer={
        <Button variant="primary" onClick={onClose}>
          Close
        </Button>
      }
    >
      <div className="flex items-center gap-2 rounded-md border border-line bg-sunken py-1.5 pr-1.5 pl-3">
        <code data-testid="generated-token" className="min-w-0 flex-1 font-mono text-sm break-all select-all">
          {token}
        </code>
        <CopyButton
          size="sm"
          text={token ?? ""}
          confirmFor={errorScreen.copiedFor}
          onFailure={(cause) => logWarning("The token could not be copied.", cause)}
        />
      </div>
    </Dialog>
  );
}
