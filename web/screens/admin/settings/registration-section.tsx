import { useState } from "react";

import type { Registration } from "@miranda/contract/schemas/admin.ts";

import { ChoiceWords } from "../../../panels/installation/choice-words.tsx";
import { ChoiceGroup } from "../../../ui/form/choice-group.tsx";
import { TextAreaField } from "../../../ui/form/field.tsx";
import { fieldText } from "../../../ui/form/use-form.ts";
import { SettingsForm, type SettingsPartProps } from "./settings-form.tsx";

const choices: readonly { value: Registration; label: string; hint: string }[] = [
  { value: "open", label: "Open", hint: "Everybody who reaches this server can register." },
  { value: "invitation", label: "By invitation", hint: "Only people with an invitation can register." },
  { value: "domains", label: "By e-mail domain", hint: "People with an e-mail address of these domains can register." },
  { value: "closed", label: "Closed", hint: "Only administrators create accounts." },
];

export function RegistrationSection(props: SettingsPartProps) {
  const { settings } = props;
  const [mode, setMode] = useState(settings.registration);
  return (
    <SettingsForm
      {...props}
      title="Registration"
      description="Who can create an account."
      action="Save registration"
      read={(fields) => ({
        registration: mode,
        ...(mode === "domains" && { registration_domains: domainsOf(fieldText(fields, "domains")) }),
      })}
    >
      <ChoiceGroup
        legend="Registration"
        legendHidden
        name="registration"
        value={mode}
        onChoose={setMode}
        className="sm:grid-cols-2"
        options={choices.map(({ value, label, hint }) => ({ value, label: <ChoiceWords label={label} hint={hint} /> }))}
      />
      {mode === "domains" ? (
        <TextAreaField
          label="E-mail domains"
          name="domains"
          rows={3}
          spellCheck={false}
          defaultValue={settings.registration_domains.join("\n")}
          placeholder="example.org"
          hint="One for each line. Subdomains are domains of their own."
        />
      ) : null}
    </SettingsForm>
  );
}

function domainsOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter((part) => part !== "");
}
