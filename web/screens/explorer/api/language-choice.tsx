import { type SnippetLanguage, snippetLanguages } from "@miranda/contract/call-docs/snippets.ts";

import { ChoiceGroup } from "../../../ui/form/choice-group.tsx";

const names: Record<SnippetLanguage, string> = { curl: "curl", python: "Python", javascript: "JavaScript" };

export function LanguageChoice({
  language,
  onChoose,
}: {
  language: SnippetLanguage;
  onChoose: (language: SnippetLanguage) => void;
}) {
  return (
    <ChoiceGroup
      legend="Language"
      legendHidden
      name="language"
      options={snippetLanguages.map((value) => ({ value, label: names[value] }))}
      value={language}
      onChoose={onChoose}
      className="grid-cols-3 text-center sm:max-w-96"
    />
  );
}
