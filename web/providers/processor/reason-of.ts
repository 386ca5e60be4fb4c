/** The words of what was thrown, when it has any. */
export function reasonOf(cause: unknown): string | undefined {
  const text = cause instanceof Error ? cause.message : typeof cause === "string" ? cause : "";
  return text.trim() === "" ? undefined : text;
}
