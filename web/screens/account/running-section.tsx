import { forceStop } from "@miranda/contract/limits.ts";
import { forceStopText } from "@miranda/contract/words/force-stop.ts";

import { useAccountCalls } from "../../api/account/accounts.ts";
import { useAccount } from "../../api/account/session.ts";
import { toastFailure } from "../../ui/overlay/toast-failure.ts";
import { SelectField } from "../../ui/form/field.tsx";
import { SettingsSection } from "../../ui/form/settings-section.tsx";

/** How this account's interrupts end what does not end by itself. */
export function RunningSection() {
  const { force_stop_after } = useAccount();
  const { changeAccount } = useAccountCalls();
  return (
    <SettingsSection
      title="Running"
      description="Some code cannot be interrupted, for example a long call into C. Force stop ends the node that runs it and keeps every finished result."
      id="running"
    >
      <SelectField
        label="Force stop by itself after"
        hint="Counted from your Interrupt. You can always do it yourself five seconds after it."
        value={`${force_stop_after}`}
        onChange={(event) => toastFailure(changeAccount({ force_stop_after: Number(event.target.value) }))}
        className="sm:max-w-56"
      >
        {forceStop.choices.map((seconds) => (
          <option key={seconds} value={`${seconds}`}>
            {forceStopText(seconds)}
          </option>
        ))}
      </SelectField>
    </SettingsSection>
  );
}
