/** One choice for the two fields of the server: kind and source. */
const choices = [
  { value: "", label: "All entries" },
  { value: "usage", label: "All usage" },
  { value: "usage/session", label: "Sessions" },
  { value: "usage/call", label: "Deployment calls" },
  { value: "usage/schedule", label: "Schedules" },
  { value: "grant", label: "Credits granted" },
  { value: "fill", label: "Added to a project" },
  { value: "return", label: "Returned by a project" },
] as const;

/** The choices that can find something when the page shows only this source. An empty source does not filter. */
export function ledgerChoices(source: string) {
  return choices.filter(({ value }) => source === "" || value === "" || value === `usage/${source}`);
}

/** What a choice asks the server for. */
export function choiceFilters(choice: string, source: string): { kind: string; source: string } {
  const [kind = "", ownSource = ""] = choice.split("/");
  return { kind, source: ownSource || source };
}
