import { useState } from "react";

import type { SecondFactorRule } from "@miranda/contract/schemas/admin.ts";

import { ChoiceWords } from "../../../panels/installation/choice-words.tsx";
import { ChoiceGroup } from "../../../ui/form/choice-group.tsx";
import { SettingsForm, type SettingsPartProps } from "./settings-form.tsx";

const choices: readonly { value: SecondFactorRule; label: string; hint: string }[] = [
  { value: "optional", label: "Optional", hint: "Everybody decides for themselves." },
  { value: "admins", label: "Required for administrators", hint: "Others decide for themselves." },
  { value: "everybody", label: "Required for everybody", hint: "Nobody can work without it." },
];

export function SecondFactorSection(props: SettingsPartProps) {
  const [rule, setRule] = useState(props.settings.second_factor);
  return (
    <SettingsForm
      {...props}
      title="Two-step sign-in"
      description="Who needs an authenticator app or a passkey besides the password."
      action="Save two-step sign-in"
      read={() => ({ second_factor: rule })}
    >
      <ChoiceGroup
        legend="Two-step sign-in"
        legendHidden
        name="second_factor"
        value={rule}
        onChoose={setRule}
        className="sm:grid-cols-3"
        options={choices.map(({ value, label, hint }) => ({ value, label: <ChoiceWords label={label} hint={hint} /> }))}
      />
    </SettingsForm>
  );
}
