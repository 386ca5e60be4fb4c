import type { Visibility } from "@miranda/contract/schemas/projects.ts";

import { ChoiceGroup } from "../../../ui/form/choice-group.tsx";
import { fieldText } from "../../../ui/form/use-form.ts";
import { Choice } from "./registration-section.tsx";
import { SettingsForm, type SettingsPartProps } from "./settings-form.tsx";

const choices: readonly { value: Visibility; label: string; hint: string }[] = [
  { value: "public", label: "Public", hint: "Everybody with an account can read them." },
  { value: "private", label: "Private", hint: "Only their members can read them." },
];

export function ProjectsSection(props: SettingsPartProps) {
  return (
    <SettingsForm
      {...props}
      title="New projects"
      description="Who can read new projects, until their owners decide otherwise."
      action="Save visibility"
      read={(fields) => ({ default_visibility: fieldText(fields, "visibility") === "private" ? "private" : "public" })}
    >
      <ChoiceGroup
        legend="Visibility of new projects"
        legendHidden
        name="visibility"
        defaultValue={props.settings.default_visibility}
        className="sm:grid-cols-2"
        options={choices.map(({ value, label, hint }) => ({ value, label: <Choice label={label} hint={hint} /> }))}
      />
    </SettingsForm>
  );
}
