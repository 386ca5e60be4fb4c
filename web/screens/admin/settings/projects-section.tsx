import type { Visibility } from "@miranda/contract/schemas/projects.ts";

import { ChoiceWords } from "../../../panels/installation/choice-words.tsx";
import { ChoiceGroup } from "../../../ui/form/choice-group.tsx";
import { fieldText } from "../../../ui/form/use-form.ts";
import { SettingsForm, type SettingsPartProps } from "./settings-form.tsx";

const choices: readonly { value: Visibility; label: string; hint: string }[] = [
  { value: "private", label: "Its members", hint: "Owners invite the people who can read a project." },
  { value: "public", label: "Every account", hint: "Everybody who can sign in can read it." },
];

export function ProjectsSection(props: SettingsPartProps) {
  return (
    <SettingsForm
      {...props}
      title="New projects"
      description="Who sees a new project, unless its maker says otherwise."
      action="Save visibility"
      read={(fields) => ({ default_visibility: fieldText(fields, "visibility") === "private" ? "private" : "public" })}
    >
      <ChoiceGroup
        legend="Visibility of new projects"
        legendHidden
        name="visibility"
        defaultValue={props.settings.default_visibility}
        className="sm:grid-cols-2"
        options={choices.map(({ value, label, hint }) => ({ value, label: <ChoiceWords label={label} hint={hint} /> }))}
      />
    </SettingsForm>
  );
}
