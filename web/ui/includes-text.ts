/** Whether a text contains what was typed, ignoring case and surrounding spaces. */
export function includesText(text: string, typed: string): boolean {
  return text.toLowerCase().includes(typed.trim().toLowerCase());
}
