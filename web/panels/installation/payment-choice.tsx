import { useState } from "react";

import type { AdminSettings, Payment } from "@miranda/contract/schemas/admin.ts";

import type { SettingsChange } from "../../api/admin/installation.ts";
import { ChoiceGroup } from "../../ui/form/choice-group.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { fieldText } from "../../ui/form/use-form.ts";
import { ChoiceWords } from "./choice-words.tsx";

const choices: readonly { value: Payment; label: string; hint: string }[] = [
  { value: "credits", label: "With credits", hint: "New accounts get some for a trial." },
  { value: "free", label: "Free for everybody", hint: "No credits, trials or prices." },
];

/** How running is paid for, with the trial of new accounts. `readPayment` reads its fields. */
export function PaymentChoice({ settings }: { settings: AdminSettings }) {
  const [payment, setPayment] = useState(settings.payment);
  return (
    <div className="flex flex-col gap-4">
      <ChoiceGroup
        legend="How running is paid for"
        legendHidden
        name="payment"
        value={payment}
        onChoose={setPayment}
        className="sm:grid-cols-2"
        options={choices.map(({ value, ...words }) => ({ value, label: <ChoiceWords {...words} /> }))}
      />
      {payment === "credits" ? (
        <div className="grid grid-cols-2 gap-3 sm:max-w-sm">
          <TextField
            label="Days of the trial"
            name="trial_days"
            inputMode="numeric"
            defaultValue={`${settings.trial_days}`}
          />
          <TextField
            label="Credits of the trial"
            name="trial_credits"
            inputMode="decimal"
            defaultValue={`${settings.trial_credits}`}
          />
        </div>
      ) : null}
    </div>
  );
}

export function readPayment(fields: FormData): SettingsChange {
  if (fieldText(fields, "payment") === "free") return { payment: "free" };
  const [trial_days, trial_credits] = [fieldText(fields, "trial_days"), fieldText(fields, "trial_credits")];
  return { payment: "credits", trial_days, trial_credits };
}
