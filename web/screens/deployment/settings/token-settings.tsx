import { Trash2 } from "lucide-react";
import { useState } from "react";

import { formText } from "@miranda/contract/limits.ts";
import type { DeploymentToken } from "@miranda/contract/schemas/deployments/deployments.ts";

import { useDeploymentTokens, useSharingActions } from "../../../api/deployments/sharing.ts";
import { CopiedText } from "../../../panels/deploy/copied-text.tsx";
import { personName } from "../../../panels/runs/run-words.ts";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { Button } from "../../../ui/button.tsx";
import { FormAlert, TextField } from "../../../ui/form/field.tsx";
import { fieldText, useForm } from "../../../ui/form/use-form.ts";
import { IconButton } from "../../../ui/icon-button.tsx";
import { Spinner } from "../../../ui/layout/spinner.tsx";
import { ConfirmDialog } from "../../../ui/overlay/confirm-dialog.tsx";

/** Tokens that can call this deployment. A new one is shown once. */
export function TokenSettings({ graphId }: { graphId: string }) {
  const { data: tokens, error } = useDeploymentTokens(graphId, true);
  const { makeToken, revokeToken } = useSharingActions(graphId);
  const [made, setMade] = useState<string | null>(null);
  const [revoking, setRevoking] = useState<DeploymentToken | null>(null);
  const form = useForm(async (data, element) => {
    setMade(await makeToken(fieldText(data, "name")));
    element.reset();
  });
  return (
    <div className="flex flex-col gap-4">
      {tokens || error ? null : <Spinner label="Loading the tokens" showLabel />}
      <FormAlert message={tokens ? null : error?.message} />
      {tokens && tokens.length > 0 ? (
        <ul aria-label="Tokens" className="flex flex-col divide-y divide-line">
          {tokens.map((token) => (
            <li key={token.id} className="flex items-center gap-3 py-2 first:pt-0">
              <div className="min-w-0 flex-1">
                <p dir="auto" className="truncate font-medium">
                  {token.name || "Without a name"}{" "}
                  <code className="font-mono text-sm text-ink-muted">…{token.hint}</code>
                </p>
                <p className="text-sm text-ink-muted">
                  {token.by ? personName(token.by) : "Somebody"}, <RelativeTime time={token.time_created} />
                  {" · "}
                  {token.last_used === null ? (
                    "never used"
                  ) : (
                    <>
                      last used <RelativeTime time={token.last_used} />
                    </>
                  )}
                </p>
              </div>
              <IconButton
                icon={Trash2}
                label={`Revoke ${token.name || token.hint}`}
                danger
                onClick={() => setRevoking(token)}
              />
            </li>
          ))}
        </ul>
      ) : null}
      {made === null ? null : (
        <div className="flex flex-col gap-2 rounded-md bg-success-soft p-3" data-testid="new-token">
          <p className="text-sm text-success-text">Copy the token now: it is not shown again.</p>
          <CopiedText label="New token" text={made} />
        </div>
      )}
      <form onSubmit={form.onSubmit} className="flex flex-col gap-3">
        <div className="flex flex-wrap items-end gap-2">
          <div className="min-w-0 flex-1 basis-48">
            <TextField
              label="Name of a new token"
              name="name"
              dir="auto"
              autoComplete="off"
              maxLength={formText.shortTextMax}
              placeholder="The program that uses it"
            />
          </div>
          <Button type="submit" busy={form.busy}>
            Make a token
          </Button>
        </div>
        <FormAlert message={form.error} takesFocus />
      </form>
      {revoking ? (
        <ConfirmDialog
          title={`Revoke ${revoking.name || "the token"}`}
          text="Programs that use it are refused at once."
          action="Revoke"
          onClose={() => setRevoking(null)}
          onConfirm={async () => {
            await revokeToken(revoking.id);
            setRevoking(null);
          }}
        />
      ) : null}
    </div>
  );
}
