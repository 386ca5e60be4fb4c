import { KeyRound } from "lucide-react";
import { useState } from "react";

import type { SecondFactorMethod } from "@miranda/contract/schemas/account/sign-in.ts";

import { useSignIns } from "../../api/account/second-factor.ts";
import { isRefusedWith } from "../../api/http.ts";
import { Entrance } from "../../shell/account/entrance.tsx";
import { Button } from "../../ui/button.tsx";
import { FormAlert, TextField } from "../../ui/form/field.tsx";
import { fieldText, useForm } from "../../ui/form/use-form.ts";

interface SecondStepProps {
  methods: readonly SecondFactorMethod[];
  /** Back to the first step. */
  onRestart: (words?: string) => void;
}

const subtitles = {
  code: "Enter the code that your authenticator app shows now.",
  recovery_code: "Enter one of the recovery codes that you saved. Each works once.",
  passkey: "Confirm with a passkey of your account.",
};

const otherMethods = {
  code: "Use your authenticator app",
  recovery_code: "Use a recovery code",
  passkey: "Use a passkey",
};

/** After the password: the code of an app, a passkey, or a recovery code. */
export function SecondStep({ methods, onRestart }: SecondStepProps) {
  const first = (["code", "passkey"] as const).find((method) => methods.includes(method)) ?? "recovery_code";
  const [method, setMethod] = useState<SecondFactorMethod>(first);
  const signIns = useSignIns();
  // The guard notices the session and redirects.
  const form = useForm(async (fields) => {
    try {
      if (method === "code") await signIns.withCode(fieldText(fields, "code"));
      else if (method === "recovery_code") await signIns.withRecoveryCode(fieldText(fields, "recovery_code"));
      else await signIns.secondStepWithPasskey();
    } catch (cause) {
      if (isRefusedWith(cause, "step_expired") && cause instanceof Error) onRestart(cause.message);
      throw cause;
    }
  });

  return (
    <Entrance title="One more step" subtitle={subtitles[method]}>
      <form onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
        {method === "code" ? (
          <TextField
            key={method}
            label="Code"
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={7}
            className="font-mono tracking-[0.3em]"
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the page is this form
            autoFocus
          />
        ) : null}
        {method === "recovery_code" ? (
          <TextField
            key={method}
            label="Recovery code"
            name="recovery_code"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            placeholder="abcd-efgh-ijkl-mnop"
            className="font-mono"
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the page is this form
            autoFocus
          />
        ) : null}
        <FormAlert message={form.error} takesFocus />
        <Button type="submit" variant="primary" size="lg" busy={form.busy}>
          {method === "passkey" ? <KeyRound className="size-4" aria-hidden="true" /> : null}
          {method === "passkey" ? "Use a passkey" : "Sign in"}
        </Button>
      </form>
      <div className="mt-6 flex flex-col items-start gap-2 text-sm">
        {methods
          .filter((other) => other !== method)
          .map((other) => (
            <LinkButton
              key={other}
              onClick={() => {
                form.clearError();
                setMethod(other);
              }}
            >
              {otherMethods[other]}
            </LinkButton>
          ))}
        <LinkButton onClick={() => onRestart()}>Sign in as somebody else</LinkButton>
        <p className="mt-2 text-ink-muted">
          Lost all of them? An administrator of this installation can remove your second factors.
        </p>
      </div>
    </Entrance>
  );
}

function LinkButton({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <button type="button" onClick={onClick} className="font-medium text-accent-text hover:underline">
      {children}
    </button>
  );
}
