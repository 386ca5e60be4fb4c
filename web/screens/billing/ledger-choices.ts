import { kindWord } from "./billing-words.ts";

/** One choice for two fields of the server: kind and source. */
const usageChoices = [
  { value: "", label: "All entries" },
  { value: "usage", label: "All usage" },
  { value: "usage/session", label: "Sessions" },
  { value: "usage/call", label: "Deployment calls" },
  { value: "usage/schedule", label: "Schedules" },
];

const projectKinds = ["grant", "correction", "fill", "return"] as const;
const accountKinds = ["grant", "correction", "trial", "opening", "fill", "return"] as const;

/** The choices that can find something when the page shows only this source. An empty source does not filter. */
export function ledgerChoices(source: string, isProject: boolean) {
  const others = (isProject ? projectKinds : accountKinds).map((kind) => ({
    value: kind,
    label: kindWord(kind, isProject),
  }));
  const choices = [...usageChoices, ...others];
  return choices.filter(({ value }) => source === "" || value === "" || value === `usage/${source}`);
}

/** What a choice asks the server for. */
export function choiceFilters(choice: string, source: string): { kind: string; source: string } {
  const [kind = "", ownSource = ""] = choice.split("/");
  return { kind, source: ownSource || source };
}
