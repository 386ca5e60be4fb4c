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

/** The choices as a form wants them, with the account's own when it was made elsewhere. */
export function choicesWith(choices: readonly string[], own: string): { value: string; label: string }[] {
  const all = own === "" || choices.includes(own) ? choices : [...choices, own];
  return all.map((value) => ({ value, label: value }));
}
