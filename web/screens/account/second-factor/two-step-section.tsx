import { KeyRound, Smartphone, Ticket } from "lucide-react";
import { useState } from "react";

import { secondFactor as limits } from "@miranda/contract/limits.ts";
import type { Passkey } from "@miranda/contract/schemas/account/sign-in.ts";

import { passkeyObstacle } from "../../../api/account/passkey-obstacle.ts";
import { useSecondFactorCalls, useSecondFactors } from "../../../api/account/second-factor.ts";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { Button } from "../../../ui/button.tsx";
import { FormAlert } from "../../../ui/form/field.tsx";
import { SettingsSection } from "../../../ui/form/settings-section.tsx";
import { Spinner } from "../../../ui/layout/spinner.tsx";
import { toast } from "../../../ui/overlay/toast.ts";
import { AddPasskeyDialog, RenamePasskeyDialog } from "../../../panels/second-factor/passkey-dialogs.tsx";
import { AppDialog } from "../../../panels/second-factor/app-dialog.tsx";
import { FactorRow } from "./factor-row.tsx";
import { ReauthDialog } from "../../../panels/second-factor/reauth-dialog.tsx";
import { RecoveryCodesDialog } from "../../../panels/second-factor/recovery-codes-dialog.tsx";

type Open =
  | { dialog: "app" | "remove_app" | "renew" | "add_passkey" }
  | { dialog: "codes"; codes: string[] }
  | { dialog: "rename" | "remove_passkey"; passkey: Passkey };

/** Authenticator app, passkeys and recovery codes of one's own account. */
export function TwoStepSection() {
  const { data: factors, error } = useSecondFactors();
  const { removeApp, removePasskey, renewRecoveryCodes } = useSecondFactorCalls();
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const showCodes = (codes: string[] | null) => setOpen(codes && { dialog: "codes", codes });
  const obstacle = passkeyObstacle();

  return (
    <SettingsSection
      id="two-step"
      title="Two-step sign-in"
      description="With an authenticator app or a passkey, your password alone lets nobody in. A passkey also signs you in without a password."
    >
      {factors ? (
        <div className="flex flex-col gap-4">
          <ul aria-label="Second factors" className="-my-1 flex flex-col divide-y divide-line">
            <FactorRow
              icon={Smartphone}
              name="Authenticator app"
              state={
                factors.app ? (
                  <>
                    Added <RelativeTime time={factors.app.time_created} /> · <LastUse time={factors.app.last_used} />
                  </>
                ) : (
                  "Shows a new code every 30 seconds, on your phone."
                )
              }
            >
              {factors.app ? (
                <Button
                  size="sm"
                  aria-label="Remove the authenticator app"
                  onClick={() => setOpen({ dialog: "remove_app" })}
                >
                  Remove
                </Button>
              ) : (
                <Button size="sm" aria-label="Set up an authenticator app" onClick={() => setOpen({ dialog: "app" })}>
                  Set up
                </Button>
              )}
            </FactorRow>
            {factors.passkeys.map((passkey) => (
              <FactorRow
                key={passkey.id}
                icon={KeyRound}
                name={passkey.name}
                state={
                  <>
                    Passkey, added <RelativeTime time={passkey.time_created} /> · <LastUse time={passkey.last_used} />
                  </>
                }
              >
                <Button
                  size="sm"
                  aria-label={`Rename ${passkey.name}`}
                  onClick={() => setOpen({ dialog: "rename", passkey })}
                >
                  Rename
                </Button>
                <Button
                  size="sm"
                  aria-label={`Remove ${passkey.name}`}
                  onClick={() => setOpen({ dialog: "remove_passkey", passkey })}
                >
                  Remove
                </Button>
              </FactorRow>
            ))}
            {factors.app || factors.passkeys.length > 0 ? (
              <FactorRow
                icon={Ticket}
                name="Recovery codes"
                state={
                  `${factors.recovery_codes_left} of ${limits.recoveryCodes} unused` +
                  (factors.recovery_codes_left > 2 ? ", for when you have lost the rest." : ". Make new ones.")
                }
              >
                <Button size="sm" aria-label="Make new recovery codes" onClick={() => setOpen({ dialog: "renew" })}>
                  Make new ones
                </Button>
              </FactorRow>
            ) : null}
          </ul>
          <div className="flex flex-wrap items-center justify-end gap-3">
            {obstacle ? <p className="min-w-0 flex-1 basis-52 text-sm text-ink-muted">{obstacle}</p> : null}
            <Button
              variant="primary"
              disabled={obstacle !== undefined}
              onClick={() => setOpen({ dialog: "add_passkey" })}
            >
              Add a passkey
            </Button>
          </div>
        </div>
      ) : (
        <>
          <FormAlert message={error?.message} />
          {error ? null : <Spinner label="Loading second factors" showLabel />}
        </>
      )}
      {open?.dialog === "app" ? <AppDialog onClose={close} onDone={showCodes} /> : null}
      {open?.dialog === "add_passkey" ? <AddPasskeyDialog onClose={close} onDone={showCodes} /> : null}
      {open?.dialog === "rename" ? <RenamePasskeyDialog passkey={open.passkey} onClose={close} /> : null}
      {open?.dialog === "codes" ? <RecoveryCodesDialog codes={open.codes} onClose={close} /> : null}
      {open?.dialog === "renew" ? (
        <ReauthDialog
          title="Make new recovery codes?"
          text="The codes that you have now stop working."
          action="Make new codes"
          onClose={close}
          onConfirm={async (password) => showCodes((await renewRecoveryCodes(password)).recovery_codes)}
        />
      ) : null}
      {open?.dialog === "remove_app" ? (
        <ReauthDialog
          danger
          title="Remove the authenticator app?"
          text="Its codes stop working. Without a passkey, your password alone signs you in again."
          action="Remove"
          onClose={close}
          onConfirm={async (password) => {
            await removeApp(password);
            close();
            toast.success("Authenticator app removed.");
          }}
        />
      ) : null}
      {open?.dialog === "remove_passkey" ? (
        <ReauthDialog
          danger
          title={`Remove ${open.passkey.name}?`}
          text="This passkey does not sign you in any more. Delete it on your device too."
          action="Remove"
          onClose={close}
          onConfirm={async (password) => {
            await removePasskey(open.passkey.id, password);
            close();
            toast.success("Passkey removed.");
          }}
        />
      ) : null}
    </SettingsSection>
  );
}

function LastUse({ time }: { time: string | null }) {
  return time ? (
    <>
      Last used <RelativeTime time={time} />
    </>
  ) : (
    "Not used yet"
  );
}
