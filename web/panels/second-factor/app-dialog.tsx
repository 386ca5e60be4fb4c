import { renderSVG } from "uqr";
import { useId, useMemo, useState } from "react";

import type { NewApp } from "@miranda/contract/schemas/account/sign-in.ts";

import { useSecondFactorCalls } from "../../api/account/second-factor.ts";
import { errorScreen } from "../../limits.ts";
import { logWarning } from "../../log.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { FormAlert, TextField } from "../../ui/form/field.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { ReauthDialog } from "./reauth-dialog.tsx";

interface AppDialogProps {
  onClose: () => void;
  /** With recovery codes, when this is the first second factor. */
  onDone: (codes: string[] | null) => void;
}

/** First asks for the password, then shows the QR code, then a code confirms that the app works. */
export function AppDialog({ onClose, onDone }: AppDialogProps) {
  const { beginApp } = useSecondFactorCalls();
  const [app, setApp] = useState<NewApp | null>(null);
  if (app) return <ConfirmApp app={app} onClose={onClose} onDone={onDone} />;
  return (
    <ReauthDialog
      title="Set up an authenticator app"
      text="You need an app such as Aegis, 2FAS, Google Authenticator or a password manager. First confirm that it is you."
      action="Continue"
      onClose={onClose}
      onConfirm={async (password) => setApp(await beginApp(password))}
    />
  );
}

function ConfirmApp({ app, onClose, onDone }: AppDialogProps & { app: NewApp }) {
  const formId = useId();
  const { confirmApp } = useSecondFactorCalls();
  const form = useForm(async (fields) => onDone((await confirmApp(fieldText(fields, "code"))).recovery_codes));
  const picture = useMemo(
    () => `data:image/svg+xml;utf8,${encodeURIComponent(renderSVG(app.address, { border: 2 }))}`,
    [app.address],
  );
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Scan this with your app"
      description="Then enter the code that the app shows."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={form.busy}>
            Turn on
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <img src={picture} alt="QR code for your authenticator app" className="mx-auto size-44 rounded-md bg-white" />
        <div className="flex flex-col gap-1.5">
          <span className="text-sm text-ink-muted">Cannot scan it? Type this key:</span>
          <div className="flex items-center gap-2 rounded-md border border-line bg-sunken py-1.5 pr-1.5 pl-3">
            <code data-testid="app-key" className="min-w-0 flex-1 font-mono text-sm break-all select-all">
              {(app.key.match(/.{1,4}/g) ?? []).join(" ")}
            </code>
            <CopyButton
              size="sm"
              text={app.key}
              confirmFor={errorScreen.copiedFor}
              onFailure={(cause) => logWarning("The key could not be copied.", cause)}
            />
          </div>
        </div>
        <form id={formId} onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
          <TextField
            label="Code"
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={7}
            className="font-mono tracking-[0.3em]"
          />
          <FormAlert message={form.error} takesFocus />
        </form>
      </div>
    </Dialog>
  );
}
