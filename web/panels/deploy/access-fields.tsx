import { Building2, Globe, Link2, UserCheck } from "lucide-react";
import { useState } from "react";

import type { DeploymentAccess } from "@miranda/contract/schemas/deployments/deployments.ts";

import { ChoiceGroup } from "../../ui/form/choice-group.tsx";
import { TextAreaField } from "../../ui/form/field.tsx";
import { fieldText } from "../../ui/form/use-form.ts";

const choices = [
  {
    value: "project",
    icon: Building2,
    word: "Members of the project",
    text: "Nobody else, even if the project is public.",
  },
  { value: "people", icon: UserCheck, word: "People you name", text: "They, and members of the project." },
  { value: "accounts", icon: Globe, word: "Everybody with an account", text: "Everybody sees it in the Explorer." },
  {
    value: "link",
    icon: Link2,
    word: "Anybody with the link",
    text: "They need no account. The owner or the project pays.",
  },
] as const;

/** Who may use a deployment, in a few words. */
export function accessWords(access: DeploymentAccess): string {
  return choices.find(({ value }) => value === access)?.word ?? "";
}

interface AccessFieldsProps {
  access: DeploymentAccess;
  /** Usernames of those who are named. */
  people: readonly string[];
}

/** Who may use it. Inputs of a form: `accessOf` reads them. */
export function AccessFields({ access, people }: AccessFieldsProps) {
  const [chosen, setChosen] = useState(access);
  return (
    <div className="flex flex-col gap-4">
      <ChoiceGroup
        legend="Who may use it"
        legendHidden
        name="access"
        value={chosen}
        onChoose={setChosen}
        className="sm:grid-cols-2"
        options={choices.map(({ value, icon: Icon, word, text }) => ({
          value,
          label: (
            <span className="flex min-w-0 items-start gap-2.5">
              <Icon className="mt-0.5 size-4 shrink-0" strokeWidth={1.75} aria-hidden="true" />
              <span className="min-w-0">
                <span className="block font-medium">{word}</span>
                <span className="block text-sm text-ink-muted">{text}</span>
              </span>
            </span>
          ),
        }))}
      />
      <div hidden={chosen !== "people"}>
        <TextAreaField
          label="People"
          name="people"
          rows={3}
          spellCheck={false}
          defaultValue={people.join("\n")}
          placeholder={"ada\ngrace@example.org"}
          hint="Usernames or e-mail addresses, one on each line."
        />
      </div>
    </div>
  );
}

export function accessOf(form: FormData): { access: DeploymentAccess; people: string[] } {
  const given = fieldText(form, "access");
  const access = choices.find(({ value }) => value === given)?.value ?? "project";
  const people = listOf(fieldText(form, "people"));
  return { access, people };
}

/** What was written with commas, spaces or on lines of its own. */
export function listOf(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter(Boolean))];
}
