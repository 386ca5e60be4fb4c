/** Whether a text holds another, whatever their case and the space around what was typed. */
export function includesText(text: string, typed: string): boolean {
  return text.toLowerCase().includes(typed.trim().toLowerCase());
}
