import { Check } from "lucide-react";
import { Suspense, useState } from "react";

import { useAccount } from "../../api/account/session.ts";
import { lazyPart } from "../../load-part.ts";
import { PasswordField } from "../../ui/form/password-field.tsx";

const ReauthByPasskey = lazyPart(() =>
  import("./reauth-by-passkey.tsx").then((module) => ({ default: module.ReauthByPasskey })),
);

interface ReauthFieldProps {
  name: string;
  label?: string;
  hint?: string;
}

/**
 * Asks who somebody is before a sensitive act: the password, or a passkey. After a passkey the field is gone, and the form
 * sends no password.
 */
export function ReauthField({ name, label = "Password", hint }: ReauthFieldProps) {
  const { has_password, has_passkey } = useAccount();
  const [isConfirmed, setIsConfirmed] = useState(false);
  if (isConfirmed)
    return (
      <output className="flex items-center gap-2 text-sm text-success-text">
        <Check className="size-4 shrink-0" aria-hidden="true" />
        Confirmed with your passkey.
      </output>
    );
  return (
    <div className="flex flex-col items-start gap-2">
      {has_password ? (
        <div className="w-full">
          <PasswordField label={label} name={name} autoComplete="current-password" {...(hint ? { hint } : {})} />
        </div>
      ) : (
        <p className="text-sm text-ink-muted">
          Your account has no password. {has_passkey ? "Confirm with a passkey" : "Sign out and in again before this"},
          unless you have signed in within the last five minutes.
        </p>
      )}
      {has_passkey ? (
        <Suspense fallback={null}>
          <ReauthByPasskey onDone={() => setIsConfirmed(true)} />
        </Suspense>
      ) : null}
    </div>
  );
}
