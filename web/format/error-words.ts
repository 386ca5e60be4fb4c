/** The message of a thrown value, if it has one. */
export function errorWords(cause: unknown): string | undefined {
  const text = cause instanceof Error ? cause.message : typeof cause === "string" ? cause : "";
  return text.trim() === "" ? undefined : text;
}
