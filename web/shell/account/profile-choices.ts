export const industries = [
  "Software and internet",
  "Research and education",
  "Health and life sciences",
  "Finance and insurance",
  "Manufacturing",
  "Energy and utilities",
  "Retail and logistics",
  "Public sector",
  "Something else",
] as const;

export const roles = [
  "Data scientist",
  "ML engineer",
  "Data engineer",
  "Software engineer",
  "Designer",
  "Researcher",
  "Student",
  "Manager",
  "Something else",
] as const;

/** The choices for a form, with the account's own value when it is not among them. */
export function choicesWith(choices: readonly string[], own: string): { value: string; label: string }[] {
  const all = own === "" || choices.includes(own) ? choices : [...choices, own];
  return all.map((value) => ({ value, label: value }));
}
