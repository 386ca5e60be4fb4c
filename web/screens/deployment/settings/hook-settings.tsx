import { useState } from "react";

import type { Deployment, HookMade } from "@miranda/contract/schemas/deployments/deployments.ts";

import { useSharingActions } from "../../../api/deployments/sharing.ts";
import { CopiedText } from "../../../panels/deploy/copied-text.tsx";
import { RelativeTime } from "../../../shell/relative-time.tsx";
import { Button } from "../../../ui/button.tsx";
import { CheckboxField } from "../../../ui/form/checkbox-field.tsx";
import { FormAlert, SelectField } from "../../../ui/form/field.tsx";
import { fieldText, useForm } from "../../../ui/form/use-form.ts";
import { ConfirmDialog } from "../../../ui/overlay/confirm-dialog.tsx";

/** The secret address that calls the deployment. It is shown once, when it is made. */
export function HookSettings({ deployment }: { deployment: Deployment }) {
  const { makeHook, removeHook } = useSharingActions(deployment.graph.id);
  const [made, setMade] = useState<HookMade | null>(null);
  const [isRemoving, setRemoving] = useState(false);
  const hook = deployment.sharing?.hook ?? null;
  const fields = (deployment.production ?? deployment.staging)?.form.fields ?? [];
  const form = useForm(async (data) => {
    const field = fieldText(data, "field");
    setMade(await makeHook({ signed: data.get("signed") === "on", ...(field === "" ? {} : { field }) }));
  });
  return (
    <div className="flex flex-col gap-4">
      {hook ? (
        <p className="text-sm text-ink-muted">
          Its address ends in <code className="font-mono">{hook.hint}</code>, made{" "}
          <RelativeTime time={hook.time_created} />. {hook.signed ? "Calls must be signed." : "Calls are not signed."}{" "}
          {hook.field === null
            ? "The body is JSON with a value for each field."
            : `The body goes to the field “${hook.field}”.`}
        </p>
      ) : (
        <p className="text-sm text-ink-muted">There is no webhook.</p>
      )}
      {made ? (
        <div className="flex flex-col gap-2 rounded-md bg-success-soft p-3" data-testid="new-hook">
          <p className="text-sm text-success-text">Copy this now: it is not shown again.</p>
          <CopiedText label="Address of the webhook" text={new URL(made.address, location.origin).href} />
          {made.secret === null ? null : (
            <>
              <p className="text-sm text-success-text">
                The key for signatures. Callers send the time in X-Miranda-Timestamp (seconds since 1970), and in
                X-Miranda-Signature sha256= with the HMAC of the time, a dot and the body, in hexadecimal.
              </p>
              <CopiedText label="Key for signatures" text={made.secret} />
            </>
          )}
        </div>
      ) : null}
      <form onSubmit={form.onSubmit} className="flex flex-col gap-3">
        <SelectField label="What happens to the body" name="field" defaultValue={hook?.field ?? ""}>
          <option value="">It is JSON with a value for each field</option>
          {fields.map(({ name, label }) => (
            <option key={name} value={name}>
              It goes to “{label}” as it is
            </option>
          ))}
        </SelectField>
        <CheckboxField name="signed" label="Callers must sign the body" defaultChecked={hook?.signed ?? false} />
        <FormAlert message={form.error} takesFocus />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" busy={form.busy}>
            {hook ? "Make a new address" : "Make an address"}
          </Button>
          {hook ? (
            <Button variant="ghost" onClick={() => setRemoving(true)}>
              Remove
            </Button>
          ) : null}
        </div>
      </form>
      {isRemoving ? (
        <ConfirmDialog
          title="Remove the webhook"
          text="Programs that call it are refused at once."
          action="Remove"
          onClose={() => setRemoving(false)}
          onConfirm={async () => {
            await removeHook();
            setMade(null);
            setRemoving(false);
          }}
        />
      ) : null}
    </div>
  );
}
